/* SPDX-License-Identifier: MIT */
/* `flat --by process|thread|object`: a row for each, with the time of its samples. */
#ifndef VIEW_REPORT_GROUPS_H
#define VIEW_REPORT_GROUPS_H

#include <stdio.h>

struct profile;
struct report_options;

/* The print() of struct report: a row per process, thread or object (options->balance_by). */
int groups_print(const struct profile *profile, const struct report_options *options, FILE *out,
	char **ret_problem);

#endif
