/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks, the input of flame graph programs. Each different stack is a line: functions from
 * the root to the leaf, separated by semicolons, then a space and the number of samples.
 *
 *   main;demo::compute(int);helper 50
 *
 * A semicolon in a name becomes a colon; control characters and invalid UTF-8 become '?'. If the
 * profile has no numbers of samples, the value type that reports show by default is written
 * instead. Samples without a stack are "[unknown]". CPU time without a sample is left out. If the
 * options split the report by process or thread, the name of the process or thread is the outermost
 * frame.
 */
#ifndef VIEW_EXPORT_FOLDED_H
#define VIEW_EXPORT_FOLDED_H

#include "view/options.h"

/* The write() of struct export_format (export.h). */
int folded_write(const struct profile *profile, const struct report_options *options, FILE *out,
	char **ret_problem);

#endif
