/* SPDX-License-Identifier: MIT */
/* Statistics of weighted samples. Pure. */
#ifndef PROFILE_STATS_H
#define PROFILE_STATS_H

/*
 * Audit key of the effective sample size (sum w)^2 / sum w^2: the number of equally weighted
 * samples with the same information. Without it the number of samples is used.
 */
#define STATS_EFFECTIVE_SAMPLES "effective_samples"
/*
 * Audit key of the variance of the sum of all CPU time found, as it scatters from second to second,
 * in us^2. Beside other programs it is more than chance alone makes.
 */
#define STATS_FOUND_SCATTER "found_scatter_us2"

/* 95 % of a normal distribution lie within this many standard errors. */
#define STATS_95_PERCENT 1.959963984540054

struct interval {
	double low, high; /* bounds of a share, 0 to 1 */
};

/*
 * 95 % confidence interval (Wilson's score) of a share that was @share in @effective_samples
 * samples. No samples: 0 to 1.
 */
struct interval stats_share_interval(double share, double effective_samples);

/*
 * Relative standard error of the sum of the weights of all samples found, where @expected samples
 * of equal weight are expected. Instants of a Poisson process (@hit_share 0) add w^2 for each
 * sample. Where there is one in each period, of weight w, and finds a thread with probability p,
 * the variance is the sum of w^2 p (1 - p). With the mean of p, @hit_share, for every p, this is at
 * most (1 - hit_share) / expected of the squared sum, and less if p varies. The beginning and the
 * end cut a period each: the weight of one sample is uncertain in any case. 1 if nothing is
 * expected.
 */
double stats_found_error(double expected, double hit_share);

/* The effective sample size, (sum w)^2 / sum w^2; 0 if there is no weight. */
double stats_effective_samples(double sum_weight, double sum_weight_squared);

#endif
