/* SPDX-License-Identifier: MIT */
/* A dialogue with sprofil-inspector. Each dialogue has an inspector process of its own. */
#ifndef TOOLS_INSPECTOR_INSPECT_TALK_H
#define TOOLS_INSPECTOR_INSPECT_TALK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The message if the program is missing. */
#define INSPECT_TALK_MISSING \
	"sprofil-inspector is missing: it belongs into libexec/sprofil beside bin"

/* Finds the inspector's program. False: it is missing. */
bool inspect_talk_find(char ret_path[PATH_MAX]);

/*
 * Starts the inspector, sends the request, and reads all output until its end, which may come
 * early: a file that the inspector reads can make it crash. If it was killed from outside (SIGKILL:
 * by a user, or out of memory), it is started once more. The caller frees *ret_answer. 0; -ENOMEM,
 * also for an endless answer; another -errno: it cannot be started.
 */
int inspect_talk(const char *path, const char *asked, size_t asked_bytes, char **ret_answer,
	size_t *ret_bytes);

#endif
