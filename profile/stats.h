/* SPDX-License-Identifier: MIT */
/* Statistics of weighted samples, as pure functions. */
#ifndef PROFILE_STATS_H
#define PROFILE_STATS_H

/*
 * Audit key of the effective sample size, (sum w)^2 / sum w^2 for weights w. It is the number of
 * samples of equal weight that would give the same accuracy. If a profile lacks the key, the number
 * of samples is used.
 */
#define STATS_EFFECTIVE_SAMPLES "effective_samples"
/*
 * Audit key of the variance, in us^2, of the CPU time that samples stand for ("found_ns"). It is
 * estimated from how this time varies from second to second. While other programs compete for the
 * CPUs, the variance is larger than chance alone makes it.
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
 * Returns the standard error of the summed weights of all samples, relative to the sum. It assumes
 * that @expected samples of equal weight w are expected. Returns 1 if none is expected.
 *
 * If the instants are a Poisson process (@hit_share 0), each expected sample adds w^2 to the
 * variance. If each period has exactly one instant, an instant that finds a thread with probability
 * p adds w^2 p (1 - p). With p = @hit_share at all instants, the relative variance is (1 -
 * @hit_share) / @expected; if p varies, it is less. In both cases one sample more is uncertain,
 * because the first and the last period are incomplete.
 */
double stats_found_error(double expected, double hit_share);

/* Returns the effective sample size, (sum w)^2 / sum w^2; 0 if there is no weight. */
double stats_effective_samples(double sum_weight, double sum_weight_squared);

#endif
