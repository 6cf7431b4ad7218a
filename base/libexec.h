/* SPDX-License-Identifier: MIT */
/* Finds and runs our programs in libexec, which are for our other programs only. */
#ifndef BASE_LIBEXEC_H
#define BASE_LIBEXEC_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* Sets @path to a program beside this one (in the build) or in libexec. False: there is none. */
bool libexec_find(const char *name, char path[PATH_MAX]);

/*
 * Starts the program argv[0] (without a slash: searched in PATH). Its standard output is read from
 * *@ret_out, its input is empty, and its messages are suppressed if @quiet. 0, and libexec_end()
 * must follow; or -errno.
 */
int libexec_read(char *const argv[], bool quiet, FILE **ret_out, pid_t *ret_pid);
/*
 * Closes @out (may be NULL) and waits for the program. Returns its exit status, or 128 + the number
 * of the signal that ended it.
 */
int libexec_end(FILE *out, pid_t pid);

#endif
