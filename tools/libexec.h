/* SPDX-License-Identifier: MIT */
/* Programs in libexec, started by those in bin. */
#ifndef TOOLS_LIBEXEC_H
#define TOOLS_LIBEXEC_H

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* The path of a program that lies beside this one (in the build) or in libexec. */
bool libexec_find(const char *name, char path[PATH_MAX]);

/*
 * Starts a program (without a slash: of PATH) whose standard output is read by *ret_out, and whose
 * input is empty; its messages are @quiet or ours. -errno.
 */
int libexec_read(char *const argv[], bool quiet, FILE **ret_out, pid_t *ret_pid);
/* Closes @out and waits for the program: its exit status, 128 + a signal's number. */
int libexec_end(FILE *out, pid_t pid);

#endif
