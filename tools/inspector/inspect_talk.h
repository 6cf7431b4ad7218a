/* SPDX-License-Identifier: MIT */
/* A dialogue with sprofil-inspector; each one has its own inspector process. */
#ifndef TOOLS_INSPECTOR_INSPECT_TALK_H
#define TOOLS_INSPECTOR_INSPECT_TALK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSPECT_TALK_MISSING \
	"sprofil-inspector is missing: it belongs into libexec/sprofil beside bin"

/* Finds the inspector's program. False: it is missing. */
bool inspect_talk_find(char ret_path[PATH_MAX]);

/*
 * Starts the inspector, sends the request, and reads the answer. The answer is incomplete if a file
 * crashes the inspector. An inspector that is killed by SIGKILL (by a user, or because memory is
 * short) is started once more. The caller frees *@ret_answer. 0; -ENOMEM: memory is short, or the
 * answer is longer than 1 GiB; another -errno: the inspector cannot be started.
 */
int inspect_talk(const char *path, const char *asked, size_t asked_bytes, uint8_t **ret_answer,
	size_t *ret_bytes);

#endif
