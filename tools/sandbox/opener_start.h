/* SPDX-License-Identifier: MIT */
/* Starts the process that opens files for the analyst, tools/sprofil-opener.c. */
#ifndef TOOLS_SANDBOX_OPENER_START_H
#define TOOLS_SANDBOX_OPENER_START_H

#include <sys/types.h>

#include "opener/opener.h"

/*
 * Starts the opener's program, which is beside this one. @argv is NULL-terminated; its first two
 * elements are set here for the call: the path and the number of a descriptor. 0 or -errno;
 * -ENOENT: the program is missing.
 */
int opener_start(const char *argv[], struct opener *ret_opener, pid_t *ret_pid);

/* Closes the connection, and waits 2 s at most for the opener's end. */
void opener_end(struct opener *opener, pid_t pid);

#endif
