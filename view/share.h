/* SPDX-License-Identifier: MIT */
/* Shares of the whole profile, and their uncertainty. */
#ifndef VIEW_SHARE_H
#define VIEW_SHARE_H

#include "view/rows.h"

enum { SHARE_BYTES = 64 };

/* Returns the share of @value in rows->whole, 0 to 1. */
double share_of(const struct rows *rows, int64_t value);

/*
 * Formats "42.1 ±0.9 %": ± half the width of the 95 % confidence interval, in percent of the whole.
 * The interval is that of the share of sampled time; [unsampled] time has no error. If the
 * interval's upper half would exceed all sampled time, "99.9 -0.4 %" gives the lower half. The form
 * is "42.1 %" if the share is @exact (not from samples) or the number of samples is unknown.
 * Trailing blanks align decimal points in a right-aligned column.
 */
void share_format(
	const struct rows *rows, bool ascii, bool exact, int64_t value, char to[SHARE_BYTES]);

#endif
