/* SPDX-License-Identifier: MIT */
/* Our programs in libexec, which only our other programs run. */
#ifndef BASE_LIBEXEC_H
#define BASE_LIBEXEC_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* Sets @path to a program beside this one (in the build) or in libexec. False: there is none. */
bool libexec_find(const char *name, char path[PATH_MAX]);

/*
 * Starts argv[0], searched in PATH if it has no slash, with the input @in_fd, which the caller
 * closes; -1: empty input. *@ret_out reads its output; @quiet drops what it writes to stderr. 0,
 * and libexec_end() must follow; or -errno.
 */
int libexec_read(char *const argv[], int in_fd, bool quiet, FILE **ret_out, pid_t *ret_pid);
/* Closes @out (or NULL). Returns the program's exit status, or 128 + the signal that ended it. */
int libexec_end(FILE *out, pid_t pid);

#endif
