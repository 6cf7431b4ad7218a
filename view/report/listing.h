/* SPDX-License-Identifier: MIT */
/* The reports `flat` and `lines`: rows by function or by source line. */
#ifndef VIEW_REPORT_LISTING_H
#define VIEW_REPORT_LISTING_H

#include "view/rows.h"

/* The print() of each struct report (report.h). */
int listing_print_flat(const struct profile *profile, const struct report_options *options,
	FILE *out, char **ret_problem);
int listing_print_lines(const struct profile *profile, const struct report_options *options,
	FILE *out, char **ret_problem);

struct task_times;

/* @times: empty if rows are not split by thread. 0 or -ENOMEM. */
int listing_text(const struct profile *profile, const struct report_options *options,
	enum rows_by by, const struct rows *rows, const struct task_times *times, FILE *out);

#endif
