/* SPDX-License-Identifier: MIT */
#include "profile/stats.h"

#include <math.h>

/* The normal distribution's 97.5 % point. */
static const double z = 1.959963984540054;

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

double stats_effective_samples(double sum_weight, double sum_weight_squared)
{
	if (!(sum_weight_squared > 0))
		return 0;
	return sum_weight * sum_weight / sum_weight_squared;
}
