/* SPDX-License-Identifier: MIT */
/* The reports `flat` and `lines`: rows by function, or by source line. */
#ifndef VIEW_REPORT_LISTING_H
#define VIEW_REPORT_LISTING_H

#include "view/rows.h"

/* The print() of the reports (report.h). */
int listing_print_flat(const struct profile *profile, const struct report_options *options,
	FILE *out, char **ret_problem);
int listing_print_lines(const struct profile *profile, const struct report_options *options,
	FILE *out, char **ret_problem);

/* Prints the text form (listing_text.c). */
int listing_text(const struct profile *profile, const struct report_options *options,
	enum rows_by by, const struct rows *rows, FILE *out);

#endif
