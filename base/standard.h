/* SPDX-License-Identifier: MIT */
/* Handling of the standard streams in all programs. */
#ifndef BASE_STANDARD_H
#define BASE_STANDARD_H

/*
 * To be called first: opens those of the three standard descriptors that are closed, so that no
 * file of ours gets their numbers and is written to by mistake. Using them still fails, and a
 * program that we start finds them closed, as we did.
 */
void standard_hold(void);

/*
 * Flushes standard output. 0, also if the reader of the pipe has closed it; -errno: some output
 * could not be written.
 */
int standard_end_output(void);

/*
 * Prints a message, "PROGRAM: …" and a newline, on standard error. Characters unsafe for a terminal
 * (names of files may contain any) become '?'.
 */
void standard_complain(const char *program, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * For --help and --version: flushes the output and returns 0; on failure prints a message and
 * returns @failure.
 */
int standard_printed(const char *program, int failure);

#endif
