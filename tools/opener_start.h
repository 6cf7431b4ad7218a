/* SPDX-License-Identifier: MIT */
/* Starts the process that opens files for the analyst, tools/sprofil-opener.c. */
#ifndef TOOLS_OPENER_START_H
#define TOOLS_OPENER_START_H

#include <sys/types.h>

#include "opener/opener.h"

/*
 * Its program lies beside this one. @argv is NULL-terminated, with room for two in front: the path
 * and the number of a descriptor.
 * -errno; -ENOENT: the program is missing.
 */
int opener_start(const char *argv[], struct opener *ret_opener, pid_t *ret_pid);

/* Ends it. */
void opener_end(struct opener *opener, pid_t pid);

#endif
