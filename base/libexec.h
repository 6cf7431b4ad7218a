/* SPDX-License-Identifier: MIT */
/* Our programs in the folder libexec. Users do not call them; our other programs do. */
#ifndef BASE_LIBEXEC_H
#define BASE_LIBEXEC_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* Sets @path to a program beside this one (in the build) or in libexec. False: there is none. */
bool libexec_find(const char *name, char path[PATH_MAX]);

/*
 * Starts the program argv[0]; PATH is searched if argv[0] has no slash. The program reads @in_fd,
 * which the caller closes, or nothing if @in_fd is -1. *@ret_out reads its output. @quiet drops its
 * stderr. Returns 0, and libexec_end() must follow; or -errno.
 */
int libexec_read(char *const argv[], int in_fd, bool quiet, FILE **ret_out, pid_t *ret_pid);
/* Closes @out (or NULL). Returns the program's exit status, or 128 + the signal that ended it. */
int libexec_end(FILE *out, pid_t pid);

#endif
