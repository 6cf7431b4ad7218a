/* SPDX-License-Identifier: MIT */
/* Shares of the whole profile, and their uncertainty. */
#ifndef VIEW_SHARE_H
#define VIEW_SHARE_H

#include "view/rows.h"

enum { SHARE_BYTES = 64 };

/* The share, 0 to 1, of @value in the whole profile, by the weight of @rows. */
double share_of(const struct rows *rows, int64_t value);

/*
 * Formats a share: "42.1 ±0.9 %": ± is half the width of the 95 % confidence interval, relative to
 * the sampled time; "99.9 -0.4 %": how far the interval reaches down, if the upper half would
 * exceed 100 %. Exact shares (what is not sampled), and those without a known number of samples,
 * are "42.1 %", padded so that the decimal points of right-aligned shares are aligned.
 */
void share_format(
	const struct rows *rows, bool ascii, bool exact, int64_t value, char to[SHARE_BYTES]);

#endif
