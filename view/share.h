/* SPDX-License-Identifier: MIT */
/* Shares of the whole profile, and their uncertainty. */
#ifndef VIEW_SHARE_H
#define VIEW_SHARE_H

#include "view/rows.h"

enum { SHARE_BYTES = 64 };

/* The share, 0 to 1, of @value in the whole profile, by the weight of @rows. */
double share_of(const struct rows *rows, int64_t value);

/*
 * Formats a share as "42.1 ±0.9 %", where ± is half the width of the 95 % confidence interval,
 * relative to the sampled time. If the upper half would exceed 100 %, "99.9 -0.4 %" says how far
 * the interval reaches down. Shares that are @exact (not from samples), and all if the number of
 * samples is unknown, are "42.1 %". They are padded so that decimal points are aligned in a
 * right-aligned column.
 */
void share_format(
	const struct rows *rows, bool ascii, bool exact, int64_t value, char to[SHARE_BYTES]);

#endif
