/* SPDX-License-Identifier: MIT */
/* The head of a text report. header_print() returns 0 or -ENOMEM. */
#ifndef VIEW_HEADER_H
#define VIEW_HEADER_H

#include "view/rows.h"

int header_print(const struct profile *profile, const struct report_options *options,
	const struct rows *rows, FILE *out);

#endif
