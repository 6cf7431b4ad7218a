/* SPDX-License-Identifier: MIT */
/*
 * The common factor of a run: how much longer all rows together took than in the mean of all runs,
 * because the machine was slower (other guests, frequency, caches used by neighbours). Pure.
 *
 * Each row with enough samples in every run is a witness: the logarithm of its value, relative to
 * its mean over the runs. The factor is their weighted mean. Weights are by precision, but no row
 * has more than a fifth, and rows that changed between the sides far more than the others (Tukey's
 * biweight) have none: a function that became slower itself is no witness of the machine.
 *
 * A row that is compared is not its own witness: its factor is determined by the others. How much
 * the row follows the factor from run to run is its slope: other users of the caches slow down
 * functions that read much memory far more than others. A slope costs a degree of freedom, and adds
 * its error where the sides' factors differ; so it is 1 unless slopes differ by more than their
 * errors explain. The noise of a row that the factor leaves says how good a witness the row is.
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
 * Significance level of a difference between the sides' factors: the program changed, not the
 * machine.
 */
#define SPEED_CHANGED 0.01

struct speed {
	size_t runs, rows;
	double *log_value;  /* of each run and row; 0: not a witness */
	double *weight;     /* of each row; the sum is 1 */
	double *log_factor; /* of each run, from all witnesses */
	double *slope;      /* of each row: how much it follows the others' factor */
	/* of each row: the contribution of its slope's error, in variances of a run */
	double *leverage;
	double taken;    /* degrees of freedom that a row's slope costs */
	double *noise;   /* sampling variance of log_value per effective sample */
	double variance; /* the same of log_factor */
	double most;     /* maximum weight of a row */
	/*
	 * Runs differ by more than samples explain, and agree better without the factor, and the
	 * sides do not differ: the factor is to be removed.
	 */
	bool is_noise;
	/* The sides differ: all rows changed alike, by change (95 % interval: low to high). */
	bool is_change;
	double change, low, high;
};

/*
 * Parameters as of compare_rows(), with values that add up (self). Finds nothing without two runs
 * of a side.
 */
int speed_find(const struct compare_run *run, size_t runs_a, size_t runs_b, const double *value,
	size_t rows, const bool *skip, struct speed *ret_speed);
void speed_release(struct speed *speed);

/* The divisor for a row's value in a run. */
double speed_of(const struct speed *speed, size_t run, size_t row);
/* The relative sampling variance of that divisor per effective sample. */
double speed_variance(const struct speed *speed, size_t row);

#endif
