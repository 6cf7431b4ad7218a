/* SPDX-License-Identifier: MIT */
/* Starts the process that opens files for the analyst, tools/sprofil-opener.c. */
#ifndef TOOLS_SANDBOX_OPENER_START_H
#define TOOLS_SANDBOX_OPENER_START_H

#include <sys/types.h>

#include "opener/opener.h"

/*
 * The opener's program is beside this one. @argv is NULL-terminated, and its first two elements are
 * set here: the path and the number of a descriptor. -errno; -ENOENT: the program is missing.
 */
int opener_start(const char *argv[], struct opener *ret_opener, pid_t *ret_pid);

/* Ends the opener. */
void opener_end(struct opener *opener, pid_t pid);

#endif
