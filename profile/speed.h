/* SPDX-License-Identifier: MIT */
/*
 * The factor of a run: how much longer all rows took than in the mean of all runs, because the
 * machine was slower (other virtual machines, frequency, other programs in the caches). Pure
 * functions.
 *
 * A row with enough samples in every run is a witness of the factor. It tells the logarithm of its
 * value in the run, less the mean of this logarithm over the runs of the side. The logarithm of the
 * run's factor is the median of what its witnesses tell, weighted by time. So rows that changed, or
 * that are noisy by themselves, do not move the factor.
 */
#ifndef PROFILE_SPEED_H
#define PROFILE_SPEED_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/compare.h"

enum { SPEED_LEAST_WITNESSES = 6 };
/* Minimum effective samples of a witness in each run. */
#define SPEED_LEAST_SAMPLES 20.0
/*
 * If the factors of the sides differ at this significance level, the cause is taken to be a change
 * of the program, not the machine.
 */
#define SPEED_CHANGED 0.01

struct speed {
	size_t runs;
	double *log_factor; /* of each run; 0 without enough witnesses */
	/*
	 * The runs of a side differ by more than samples explain, the sides do not: the machine's
	 * speed varied. The caller should divide each run's values by its factor.
	 */
	bool is_noise;
	/* The sides differ: all rows changed by @change (95 % interval: @low to @high). */
	bool is_change;
	double change, low, high;
};

/*
 * Finds the factors of the runs. Parameters are those of compare_rows(). A run's values must add up
 * to its total, so each is a row's own time, without its callees. Finds nothing if a side has no
 * run, or if each has only one. 0 or -ENOMEM.
 */
int speed_find(const struct compare_run *run, size_t runs_a, size_t runs_b, const double *value,
	size_t rows, const bool *skip, struct speed *ret_speed);
void speed_release(struct speed *speed);

#endif
