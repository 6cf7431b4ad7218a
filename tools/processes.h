/* SPDX-License-Identifier: MIT */
/* Processes by name. */
#ifndef TOOLS_PROCESSES_H
#define TOOLS_PROCESSES_H

#include <stddef.h>

/*
 * All processes but our own whose name (comm, 15 bytes of it) or whose executable's last part is
 * @name, appended to *@pids (to be freed). Those that have ended, and that their parent has not
 * waited for, are counted only. 0, or -errno; none is no error.
 */
int processes_by_name(const char *name, int **pids, size_t *n, size_t *ret_ended);

#endif
