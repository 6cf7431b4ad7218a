/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_RANDOM_RUNS_H
#define TESTS_UNIT_RANDOM_RUNS_H

#include <math.h>
#include <stddef.h>

#include "profile/compare.h"
#include "tests/random.h"

static inline double random_uniform(uint64_t *seed)
{
	return ((double)(random_bits(seed) >> 11) + 0.5) / 9007199254740992.0;
}

/* Normally distributed, with mean 0 and deviation 1. */
static inline double random_normal(uint64_t *seed)
{
	return sqrt(-2 * log(random_uniform(seed))) * cos(6.283185307179586 * random_uniform(seed));
}

/* Adds a row with this time to a run. Returns its number of samples, random with mean @n. */
static inline double run_add(struct compare_run *run, double time, double n, uint64_t *seed)
{
	double samples = fmax(n + sqrt(n) * random_normal(seed), 0); /* nearly a Poisson number */

	run->all += time;
	run->effective_samples += samples;
	return samples;
}

/* Turns each row's samples in @value into a time; the sum of all is the whole run's time. */
static inline void run_seal(const struct compare_run *run, double *value, size_t rows)
{
	for (size_t i = 0; i < rows; i++)
		value[i] *= run->all / run->effective_samples;
}

#endif
