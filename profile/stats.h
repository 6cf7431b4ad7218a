/* SPDX-License-Identifier: MIT */
/* Statistics of weighted samples. Pure. */
#ifndef PROFILE_STATS_H
#define PROFILE_STATS_H

#include <stdint.h>

/*
 * Audit key of the effective sample size (sum w)^2 / sum w^2: how many samples of equal weight
 * would tell as much. Without it the number of samples is used.
 */
#define STATS_EFFECTIVE_SAMPLES "effective_samples"

struct interval {
	double low, high; /* shares, 0 to 1 */
};

/*
 * 95 % confidence interval (Wilson's score) of a share that was seen to be @share in
 * @effective_samples samples. No samples: 0 to 1.
 */
struct interval stats_share_interval(double share, double effective_samples);

/* (sum w)^2 / sum w^2; 0 when there is no weight. */
double stats_effective_samples(double sum_weight, double sum_weight_squared);

#endif
