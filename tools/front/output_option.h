/* SPDX-License-Identifier: MIT */
/* Checks -o of sprofrun before anything runs, and adapts it to ranks. */
#ifndef TOOLS_FRONT_OUTPUT_OPTION_H
#define TOOLS_FRONT_OUTPUT_OPTION_H

#include <stdbool.h>

#include "base/outfile.h"

/*
 * Ends the program if a profile cannot be written to @pattern (status 125), or if @pattern has the
 * suffix of a format in which nothing can be recorded (status 2; @analyst knows). Leaves no file.
 */
void output_option_check(const char *program, const char *analyst, const char *pattern);

/*
 * If there are several ranks (MPI, Slurm) that @pattern does not distinguish, returns a pattern
 * with the rank, which is never freed, and prints a note unless @quiet. Otherwise returns @pattern.
 */
const char *output_option_for_rank(const char *program, const char *pattern, bool quiet);

/*
 * For --dump: makes stdout a new file, named later by outfile_commit(). Process @pid fills in %p
 * and %n of @pattern. Ends the program (status 125) if the file cannot be written.
 */
void output_option_redirect(
	const char *program, const char *pattern, int pid, struct outfile *ret_file);

/* Is the output a regular file: neither stdout nor an existing pipe or device? */
bool output_option_is_file(const char *pattern);

#endif
