/* SPDX-License-Identifier: MIT */
/* The standard streams, as all programs here treat them. */
#ifndef TOOLS_STANDARD_H
#define TOOLS_STANDARD_H

#include <stdarg.h>

/*
 * To be called first: one of the three that is closed is taken, so that no file of ours gets its
 * number and is written to as if it were it. What is written to it fails as before, and a program
 * that we start gets it closed, as we did.
 */
void standard_hold(void);

/*
 * Ends what was printed on the standard output: 0, also when its reader has left; -errno when some
 * of it could not be written.
 */
int standard_end_output(void);

/*
 * One message, "PROGRAM: …" and a line end, on the standard error. What a terminal must not be
 * given (names of files may hold anything) is '?'.
 */
void standard_complain(const char *program, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* For --help and --version: ends the output and returns 0; or says what is wrong, and @failure. */
int standard_printed(const char *program, int failure);

#endif
