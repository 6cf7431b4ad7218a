/* SPDX-License-Identifier: MIT */
/* A talk with sprofil-inspector, a process of its own for each. */
#ifndef TOOLS_INSPECT_TALK_H
#define TOOLS_INSPECT_TALK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* What is said where the program is missing. */
#define INSPECT_TALK_MISSING \
	"sprofil-inspector is missing: it belongs into libexec/sprofil beside bin"

/* Where the inspector's program is. False: it is missing. */
bool inspect_talk_find(char ret_path[PATH_MAX]);

/*
 * Starts it, asks, and takes all that it says until its end, which may come early: a file that it
 * reads can end it. One that was killed from outside (SIGKILL: a user, or no memory is left) is
 * started once more. The caller frees *ret_answer. -ENOMEM, also for an answer without end; another
 * -errno: it cannot be started.
 */
int inspect_talk(const char *path, const char *asked, size_t asked_bytes, char **ret_answer,
	size_t *ret_bytes);

#endif
