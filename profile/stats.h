/* SPDX-License-Identifier: MIT */
/* Statistics of weighted samples, as pure functions. */
#ifndef PROFILE_STATS_H
#define PROFILE_STATS_H

/*
 * Audit key of the effective sample size (sum w)^2 / sum w^2: as many equally weighted samples have
 * as much information. If a profile lacks the key, the number of samples is used.
 */
#define STATS_EFFECTIVE_SAMPLES "effective_samples"
/*
 * Audit key of the variance of found_ns in us^2, estimated from how that time varies from second to
 * second. While other programs compete for the CPUs, it is larger than chance alone makes it.
 */
#define STATS_FOUND_SCATTER "found_scatter_us2"

/* 95 % of a normal distribution lie within this many standard deviations. */
#define STATS_95_PERCENT 1.959963984540054

struct interval {
	double low, high; /* bounds of a share, 0 to 1 */
};

/* Returns the 95 % interval (Wilson's score) of a measured share. No samples: 0 to 1. */
struct interval stats_share_interval(double share, double effective_samples);

/*
 * Returns the relative standard error of the summed weights of all samples found, if @expected
 * samples of equal weight w are expected; 1 if none is expected.
 *
 * If the instants are a Poisson process (@hit_share 0), the variance is w^2 for each expected
 * sample. If each period has exactly one instant, which finds a thread with probability p, the
 * variance is the sum of w^2 p (1 - p) over the instants: with p = @hit_share for all of them,
 * (1 - @hit_share) / @expected of the squared sum, less if p varies. One sample more is uncertain
 * in both cases, because the first and the last period are incomplete.
 */
double stats_found_error(double expected, double hit_share);

/* Returns the effective sample size, (sum w)^2 / sum w^2; 0 if there is no weight. */
double stats_effective_samples(double sum_weight, double sum_weight_squared);

#endif
