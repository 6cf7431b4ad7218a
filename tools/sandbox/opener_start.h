/* SPDX-License-Identifier: MIT */
/* Starts tools/sprofil-opener.c, which opens files for the analyst. */
#ifndef TOOLS_SANDBOX_OPENER_START_H
#define TOOLS_SANDBOX_OPENER_START_H

#include <sys/types.h>

#include "opener/opener.h"

/*
 * Starts the opener, whose program is beside the caller's. @argv is NULL-terminated; this function
 * sets its first two elements (path, number of a descriptor) for the call. 0 or -errno; -ENOENT:
 * the program is missing.
 */
int opener_start(const char *argv[], struct opener *ret_opener, pid_t *ret_pid);

/* Closes the connection, and waits at most 2 s for the opener to end. */
void opener_end(struct opener *opener, pid_t pid);

#endif
