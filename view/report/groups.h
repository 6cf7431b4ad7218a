/* SPDX-License-Identifier: MIT */
/* `flat --by process|thread|object`: a row for each of them, with the time of its samples. */
#ifndef VIEW_REPORT_GROUPS_H
#define VIEW_REPORT_GROUPS_H

#include <stdio.h>

struct profile;
struct report_options;

/*
 * Prints the rows; @options->balance_by says what has a row. The results and @ret_problem are those
 * of print() in struct report (report.h).
 */
int groups_print(const struct profile *profile, const struct report_options *options, FILE *out,
	char **ret_problem);

#endif
