/* SPDX-License-Identifier: MIT */
#include "view/share.h"

#include "profile/stats.h"

double share_of(const struct rows *rows, int64_t value)
{
	return rows->whole > 0 ? (double)value / (double)rows->whole : 0;
}

/* Maximum characters of a half-width: 3 ("9.5") or 4 ("12.3"); 0: it is unknown. */
static int half_width(const struct rows *rows)
{
	struct interval widest = stats_share_interval(0.5, rows->effective_samples);

	if (rows->effective_samples <= 0)
		return 0;
	return widest.high - widest.low >= 0.199 ? 4 : 3;
}

void share_format(
	const struct rows *rows, bool ascii, bool exact, int64_t value, char to[SHARE_BYTES])
{
	double share = share_of(rows, value), sampled = 1 - share_of(rows, rows->unsampled);
	int n, width = half_width(rows);
	const char *sign = ascii ? "+-" : "\xc2\xb1";
	struct interval interval;
	double error;
	char half[16];

	if (!width || exact || sampled <= 0) {
		(void)snprintf(to, SHARE_BYTES, "%.1f %%%*s", share * 100,
			width ? width + (ascii ? 3 : 2) : 0, "");
		return;
	}
	interval = stats_share_interval(share / sampled, rows->effective_samples);
	error = (interval.high - interval.low) / 2 * sampled;
	/* The interval's upper half would exceed all sampled time: show the lower half. */
	if (share + error > sampled + 0.0005) {
		error = share - interval.low * sampled;
		sign = ascii ? " -" : "-";
	}
	n = snprintf(half, sizeof(half), "%.1f", error * 100);
	(void)snprintf(to, SHARE_BYTES, "%.1f %s%s %%%*s", share * 100, sign, half,
		n < width ? width - n : 0, "");
}
