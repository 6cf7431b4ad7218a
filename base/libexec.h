/* SPDX-License-Identifier: MIT */
/* Programs in libexec, started by those in bin. */
#ifndef BASE_LIBEXEC_H
#define BASE_LIBEXEC_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* The path of a program beside this one (in the build) or in libexec. */
bool libexec_find(const char *name, char path[PATH_MAX]);

/*
 * Starts a program (without a slash: from PATH) whose standard output is read from *ret_out, and
 * whose input is empty; its messages are suppressed (@quiet) or printed. -errno.
 */
int libexec_read(char *const argv[], bool quiet, FILE **ret_out, pid_t *ret_pid);
/*
 * Closes @out and waits for the program. Returns its exit status, or 128 + the number of a signal.
 */
int libexec_end(FILE *out, pid_t pid);

#endif
