/* SPDX-License-Identifier: MIT */
/* Shares of the whole profile, and how sure they are. */
#ifndef VIEW_SHARE_H
#define VIEW_SHARE_H

#include "view/rows.h"

enum { SHARE_BYTES = 64 };

/* @value, by the weight of @rows, of the whole profile: 0 to 1. */
double share_of(const struct rows *rows, int64_t value);

/*
 * "42.1 ±0.9 %": half the width of the 95 % confidence interval, of all the sampled time; "99.9
 * -0.4 %": as far as it reaches down, where half of it would go beyond all. Exact
 * ones (what is not sampled) and those of unknown samples are "42.1 %", filled up so that the
 * points of right-aligned ones stand in line.
 */
void share_format(
	const struct rows *rows, bool ascii, bool exact, int64_t value, char to[SHARE_BYTES]);

#endif
