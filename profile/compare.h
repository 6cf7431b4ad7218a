/* SPDX-License-Identifier: MIT */
/*
 * Is the difference between two sides significant? The statistics of `sprofreport diff`, as pure
 * functions.
 *
 * A side is one run or several. A row (a function) has a value in each run: time, or a share. The
 * value's error has two parts. Sampling error: a share p in a run of n effective samples has the
 * variance p (1 - p) / n. Spread: how far the values of several runs differ beyond the sampling
 * error, relative to the value.
 *
 * Few runs determine a spread poorly. So a row's own spread, which has two degrees of freedom less
 * than there are runs, is averaged with the median spread of all rows, which counts as up to
 * COMPARE_LENT degrees of freedom. A row that spreads significantly more than the median (at the
 * 10 % level) uses only its own. With one run a side only the sampling error is known: the result
 * claims too much if runs differ.
 *
 * q is the false discovery rate of Benjamini and Hochberg: of the rows with q <= 0.05 at most 5 %
 * are false on average, however many rows there are.
 */
#ifndef PROFILE_COMPARE_H
#define PROFILE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

enum { COMPARE_A, COMPARE_B };

/* Maximum degrees of freedom that the median spread of all rows adds to each row. */
#define COMPARE_LENT 10.0
/* Medians over rows are weighted by shares, up to this one, so that no large row decides. */
#define COMPARE_MOST_WEIGHT 0.2
/* Rows with fewer effective samples in all runs are not tested: nothing could be detected. */
#define COMPARE_LEAST_SAMPLES 10.0

struct compare_run {
	double all; /* the total of which shares are taken: all rows, and time outside of them */
	double effective_samples; /* 0: unknown, nothing is tested */
};

struct compare_row {
	double a, b;      /* means of the runs of each side */
	double delta;     /* (b - a) / a; HUGE_VAL: only a is 0; 0: both are 0 */
	double low, high; /* 95 % interval of delta; -1 and HUGE_VAL: unknown */
	double p, q;      /* both are 1 if the row was not tested */
	bool tested;
	bool whole; /* the row is the total of both sides: not tested */
};

/*
 * Compares the sides row by row, and fills @row. @run: the runs, those of side a first. @value: the
 * values of all rows in the first run, then in the second, and so on. @skip: rows not to be tested,
 * or NULL. @scaled: the values were divided by factors with errors (profile/speed.h). 0 or -ENOMEM.
 */
int compare_rows(const struct compare_run *run, size_t runs_a, size_t runs_b, const double *value,
	size_t rows, const bool *skip, bool scaled, struct compare_row *row);

struct compare_weighted {
	double value, weight;
};

/* Sorts the @n items (at least one) by value, and returns their weighted median. */
double compare_median(struct compare_weighted *item, size_t n);

/* The two-sided probability that Student's t is beyond @t. @freedom HUGE_VAL: a normal variable. */
double compare_t_beyond(double t, double freedom);
/* Returns the @t for which compare_t_beyond() returns @p; 0 < @p < 1. */
double compare_t_limit(double p, double freedom);

#endif
