/* SPDX-License-Identifier: MIT */
/* Shares of the whole profile, and their uncertainty. */
#ifndef VIEW_SHARE_H
#define VIEW_SHARE_H

#include "view/rows.h"

enum { SHARE_BYTES = 64 };

/* Returns the share, 0 to 1, of @value in the whole profile (rows->whole). */
double share_of(const struct rows *rows, int64_t value);

/*
 * Formats a share as "42.1 ±0.9 %", where ± is half the width of the 95 % confidence interval, in
 * percent of the whole. The interval is that of the share of the sampled time; [unsampled] time has
 * no error. If the upper half would exceed all sampled time, "99.9 -0.4 %" says how far the
 * interval reaches down. A share has the form "42.1 %" if it is @exact (not from samples), or if
 * the number of samples is unknown. Blanks are added, so that decimal points are aligned in a
 * right-aligned column.
 */
void share_format(
	const struct rows *rows, bool ascii, bool exact, int64_t value, char to[SHARE_BYTES]);

#endif
