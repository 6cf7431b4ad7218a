/* SPDX-License-Identifier: MIT */
/*
 * The common factor of a run: by how much all rows together took longer than in the mean of all
 * runs, since the machine was slower (other guests, frequency, caches that neighbours use). Pure.
 *
 * Each row that is sampled well enough in every run is a witness: the logarithm of its value,
 * against its mean over the runs. The factor is their weighted mean. Weights are by precision, but
 * no row has more than a fifth, and those that changed between the sides far more than the others
 * (Tukey's biweight) have none: what got slower is no witness of the machine.
 *
 * A row that is compared is no witness for itself: its factor is told by the others. How far it
 * follows that from run to run is its slope: who uses the caches slows down functions that read
 * much memory far more than others. It costs a degree of freedom, and what it may be wrong by where
 * the sides' factors differ; so it is 1 where slopes differ no more than their errors explain. What
 * the factor leaves of a row's noise says how good a witness it is.
 */
#ifndef PROFILE_SPEED_H
#define PROFILE_SPEED_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/compare.h"

enum { SPEED_LEAST_WITNESSES = 6 };
/* A witness has so many effective samples in each run. */
#define SPEED_LEAST_SAMPLES 20.0
/* The sides' factors differ significantly: the program did, not the machine. */
#define SPEED_CHANGED 0.01

struct speed {
	size_t runs, rows;
	double *log_value;  /* of each run and row; 0 of no witness */
	double *weight;     /* of each row; the sum is 1 */
	double *log_factor; /* of each run, as all witnesses tell */
	double *slope;      /* of each row: how far it follows the factor that the others tell */
	double *leverage;   /* of each row: what its slope's error adds, in variances of a run */
	double taken;       /* degrees of freedom of a row that its slope takes */
	double *noise;      /* sampling's variance of log_value, of one effective sample */
	double variance;    /* the same of log_factor */
	double most;        /* weight of a row */
	/*
	 * Runs differ by more than samples explain, and agree better without it; the sides do not
	 * differ: it is to be taken out.
	 */
	bool is_noise;
	/* The sides do: all changed alike, by change (low to high with 95 %). */
	bool is_change;
	double change, low, high;
};

/* As compare_rows, of values that add up (self). Nothing is found without two runs of a side. */
int speed_find(const struct compare_run *run, size_t runs_a, size_t runs_b, const double *value,
	size_t rows, const bool *skip, struct speed *ret_speed);
void speed_release(struct speed *speed);

/* What a row's value in a run is to be divided by. */
double speed_of(const struct speed *speed, size_t run, size_t row);
/* Relative variance of that by sampling, of one effective sample. */
double speed_variance(const struct speed *speed, size_t row);

#endif
