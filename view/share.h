/* SPDX-License-Identifier: MIT */
/* Shares of the whole profile, and their uncertainty. */
#ifndef VIEW_SHARE_H
#define VIEW_SHARE_H

#include "view/rows.h"

enum { SHARE_BYTES = 64 };

/* Returns the share of @value in rows->whole, 0 to 1. */
double share_of(const struct rows *rows, int64_t value);

/*
 * Formats the share of @value in rows->whole, with its 95 % confidence interval: "42.1 ±0.9 %". The
 * number behind ± is half the width of the interval, in percent of rows->whole. Only sampled time
 * has an error: the interval is computed for the share in sampled time; [unsampled] time is exact.
 *
 * If share and half-width add up to more than all sampled time, "99.9 -0.4 %" gives the distance to
 * the lower end of the interval. The form is "42.1 %" if the share is @exact (not estimated from
 * samples) or the number of samples is unknown. Trailing blanks align the decimal points of a
 * right-aligned column.
 */
void share_format(
	const struct rows *rows, bool ascii, bool exact, int64_t value, char to[SHARE_BYTES]);

#endif
