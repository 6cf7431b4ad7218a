/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks, as flame graph programs take them: a line for each different stack, its functions
 * from the root to the leaf with semicolons between them, a space, and the number of samples.
 *
 *   main;demo::compute(int);helper 50
 *
 * A semicolon in a name becomes a colon; control characters and what is not UTF-8 become '?'. A
 * profile without samples is told by the value that reports weigh it by. What has no stack is
 * "[unknown]"; what has no samples ([unsampled]) is not there. With a split, the process or thread
 * is the outermost frame.
 */
#ifndef VIEW_FOLDED_H
#define VIEW_FOLDED_H

#include "view/report.h"

/* As export_format->write. */
int folded_write(const struct profile *profile, const struct report_options *options, FILE *out,
	char **ret_problem);

#endif
