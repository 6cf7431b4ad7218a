/* SPDX-License-Identifier: MIT */
/* Handling of the standard streams in all programs. */
#ifndef BASE_STANDARD_H
#define BASE_STANDARD_H

/*
 * Opens those of descriptors 0 to 2 that are closed, so that no file of ours gets such a number and
 * is written to by mistake. They cannot be used, and are closed in programs that we start. Call
 * first.
 */
void standard_hold(void);

/* Flushes stdout. 0, even if no reader of the pipe is left; -errno: some output is lost. */
int standard_end_output(void);

/* Prints "PROGRAM: …" and a newline on stderr. Characters unsafe for a terminal become '?'. */
void standard_complain(const char *program, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Flushes what --help or --version printed. 0; on failure prints why, and returns @failure. */
int standard_printed(const char *program, int failure);

#endif
