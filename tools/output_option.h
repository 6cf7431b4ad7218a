/* SPDX-License-Identifier: MIT */
/* The name that sprofrun's -o gives, before anything runs: what is wrong with it, and ranks. */
#ifndef TOOLS_OUTPUT_OPTION_H
#define TOOLS_OUTPUT_OPTION_H

#include <stdbool.h>

/*
 * Ends the program with a message when a profile cannot be written there (status 125), or when the
 * name asks for a format that a recording cannot have (status 2; @analyst knows the formats).
 * Leaves nothing behind.
 */
void output_option_check(const char *program, const char *analyst, const char *pattern);

/*
 * Of several ranks of MPI or Slurm each needs a name of its own: where the pattern does not tell
 * ranks or processes apart, one with the rank in it, and unless @quiet that is said. Never freed.
 */
const char *output_option_for_rank(const char *program, const char *pattern, bool quiet);

/* Neither standard output, nor a pipe or device that is there. */
bool output_option_is_file(const char *pattern);

#endif
