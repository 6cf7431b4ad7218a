/* SPDX-License-Identifier: MIT */
/* The head of a text report: what was profiled, how much, and which part is shown. */
#ifndef VIEW_HEADER_H
#define VIEW_HEADER_H

#include "view/rows.h"

/* Prints the head. 0 or -ENOMEM. */
int header_print(const struct profile *profile, const struct report_options *options,
	const struct rows *rows, FILE *out);

#endif
