/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks, the input of flame graph programs. Each different stack is a line: its functions
 * from the root to the leaf, separated by semicolons, then a space and the number of samples.
 *
 *   main;demo::compute(int);helper 50
 *
 * A semicolon in a name becomes a colon; control characters and invalid UTF-8 become '?'. If the
 * profile has no numbers of samples, the value by which reports weigh it is written. Samples
 * without a stack are "[unknown]"; time without samples ([unsampled]) is excluded. With a split,
 * the process or thread is the outermost frame.
 */
#ifndef VIEW_EXPORT_FOLDED_H
#define VIEW_EXPORT_FOLDED_H

#include "view/options.h"

/* Writes the format: the write() of its struct export_format (export.h). */
int folded_write(const struct profile *profile, const struct report_options *options, FILE *out,
	char **ret_problem);

#endif
