/* SPDX-License-Identifier: MIT */
/*
 * Is the difference between two sides real? Statistics of `diff`. Pure.
 *
 * A side is one run or several. A row (a function) has a value in each run: time, or its share. Its
 * error has two parts. Sampling: a share p of a run of n effective samples has the variance
 * p (1 - p) / n. And runs of the same program differ: with several a side, what their spread has
 * beyond sampling is that, relative to the value. A few runs tell a spread badly: a row's own
 * counts with its degrees of freedom (two less than there are runs), and that of all rows with as
 * many as rows are alike in it (profile/moderate.h), at most COMPARE_PRIOR; rows that spread far
 * more than most (at the 0.1 % level) tell nothing of the others. One that spreads more than it was
 * lent (at the 10 % level) stands for itself, with its own degrees of freedom. No error is less
 * than sampling's. With one run a side nothing but sampling is known, and the claim is too
 * strong wherever runs differ.
 *
 * Rows are tested together: q is the false discovery rate of Benjamini and Hochberg, so among the
 * rows with q <= 0.05 at most 5 % are false on average, however many rows there are.
 */
#ifndef PROFILE_COMPARE_H
#define PROFILE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

enum { COMPARE_A, COMPARE_B };

/* Most degrees of freedom that all rows together lend to each. */
#define COMPARE_PRIOR 20.0
/* Rows of fewer effective samples in all are not tested: no difference of them could be told. */
#define COMPARE_LEAST_SAMPLES 10.0

struct speed;

struct compare_run {
	double all; /* the sum that shares are of: that of all rows, and of what has none */
	double effective_samples; /* 0 not known: then nothing is tested */
};

struct compare_row {
	double a, b;      /* means of the runs of each side */
	double delta;     /* (b - a) / a; HUGE_VAL: a is 0 and b is not; 0: both are */
	double low, high; /* 95 % interval of it; -1 and HUGE_VAL: not known */
	double p, q;      /* 1: not tested */
	bool tested;
};

/*
 * @run holds the @runs_a + @runs_b runs, those of side a first; @value those of all rows of the
 * first run, then of the second. Fills @row, @rows of them. @skip: rows that are not to be tested,
 * or NULL. @speed: what the values have been divided by (profile/speed.h), which has errors too, or
 * NULL. -ENOMEM.
 */
int compare_rows(const struct compare_run *run, size_t runs_a, size_t runs_b, const double *value,
	size_t rows, const bool *skip, const struct speed *speed, struct compare_row *row);

/* Two-sided probability that a variable of Student's t distribution is beyond @t. */
double compare_t_beyond(double t, double freedom);
/* The t that is exceeded, on either side, with the probability @p, 0 < p < 1. */
double compare_t_limit(double p, double freedom);

#endif
