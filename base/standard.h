/* SPDX-License-Identifier: MIT */
/* Handling of the standard streams in all programs. */
#ifndef BASE_STANDARD_H
#define BASE_STANDARD_H

/*
 * Call first: opens closed ones of descriptors 0 to 2, so that no file of ours gets their numbers
 * and is written to by mistake. They stay unusable, and closed for programs that we start.
 */
void standard_hold(void);

/* Flushes standard output. 0, also if the pipe's reader has ended; -errno: some output is lost. */
int standard_end_output(void);

/* Prints "PROGRAM: …" and a newline on stderr. Characters unsafe for a terminal become '?'. */
void standard_complain(const char *program, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* For --help and --version: flushes the output. If that fails, prints why and returns @failure. */
int standard_printed(const char *program, int failure);

#endif
