/* SPDX-License-Identifier: MIT */
/* Checks the name given by sprofrun's -o before anything runs, and adapts it to ranks. */
#ifndef TOOLS_FRONT_OUTPUT_OPTION_H
#define TOOLS_FRONT_OUTPUT_OPTION_H

#include <stdbool.h>

#include "base/outfile.h"

/*
 * Ends the program with a message if a profile cannot be written to @pattern (status 125), or if
 * @pattern ends in the suffix of a format in which nothing can be recorded (status 2; @analyst
 * knows the formats). Leaves nothing behind.
 */
void output_option_check(const char *program, const char *analyst, const char *pattern);

/*
 * With several ranks of MPI or Slurm, each needs a name of its own: if the pattern does not
 * distinguish ranks or processes, returns one with the rank, which is never freed, and prints a
 * note unless @quiet is set. Otherwise returns @pattern.
 */
const char *output_option_for_rank(const char *program, const char *pattern, bool quiet);

/*
 * For --dump: makes standard output a new file, which gets its name by outfile_commit(). Process
 * @pid fills in %p and %n of @pattern. Ends the program with a message if the file cannot be
 * written (status 125).
 */
void output_option_redirect(
	const char *program, const char *pattern, int pid, struct outfile *ret_file);

/* Is the output a regular file, neither standard output nor an existing pipe or device? */
bool output_option_is_file(const char *pattern);

#endif
