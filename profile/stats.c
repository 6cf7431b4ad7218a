/* SPDX-License-Identifier: MIT */
#include "profile/stats.h"

#include <math.h>

static const double z = STATS_95_PERCENT;

struct interval stats_share_interval(double share, double effective_samples)
{
	double n = effective_samples, z2 = z * z;
	double middle, half;

	if (!(n > 0) || !isfinite(n))
		return (struct interval){0, 1};
	share = share > 0 ? fmin(share, 1) : 0;
	middle = (share + z2 / (2 * n)) / (1 + z2 / n);
	half = z / (1 + z2 / n) * sqrt(share * (1 - share) / n + z2 / (4 * n * n));
	return (struct interval){fmax(middle - half, 0), fmin(middle + half, 1)};
}

double stats_found_error(double expected, double hit_share)
{
	double n = expected, p = hit_share > 0 ? fmin(hit_share, 1) : 0;

	return n > 0 ? sqrt((1 - p) / n + 1 / (n * n)) : 1;
}

double stats_effective_samples(double sum_weight, double sum_weight_squared)
{
	if (!(sum_weight_squared > 0))
		return 0;
	return sum_weight * sum_weight / sum_weight_squared;
}
