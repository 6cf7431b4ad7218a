/* SPDX-License-Identifier: MIT */
/*
 * Checks sprofrun's option -o before anything runs. Changes the name if several ranks (MPI, Slurm)
 * would write the same file.
 */
#ifndef TOOLS_FRONT_OUTPUT_OPTION_H
#define TOOLS_FRONT_OUTPUT_OPTION_H

#include <stdbool.h>

#include "base/outfile.h"

/*
 * Ends the program with status 125 if a profile cannot be written to @pattern. Ends it with status
 * 2 if @pattern is "-" and stdout is a terminal, or if the suffix of @pattern names a format in
 * which nothing can be recorded. @analyst: path of the analyst, which knows these formats. Leaves
 * no file.
 */
void output_option_check(const char *program, const char *analyst, const char *pattern);

/*
 * If there are several ranks (MPI, Slurm), and @pattern does not distinguish them, returns a
 * pattern that contains the rank, and prints a note unless @quiet. The returned pattern is never
 * freed. Otherwise returns @pattern.
 */
const char *output_option_for_rank(const char *program, const char *pattern, bool quiet);

/*
 * For --dump: makes stdout a new file, which gets its name when outfile_commit() is called. In the
 * name, %p is @pid, and %n is the name of that process. Ends the program with status 125 if the
 * file cannot be written.
 */
void output_option_redirect(
	const char *program, const char *pattern, int pid, struct outfile *ret_file);

/* Is the output a regular file: neither stdout nor an existing pipe or device? */
bool output_option_is_file(const char *pattern);

#endif
