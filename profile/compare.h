/* SPDX-License-Identifier: MIT */
/*
 * Is the difference between two sides significant? The statistics of `sprofreport diff`, as pure
 * functions.
 *
 * A side is one run or several. A row (a function) has a value in each run: time, or a share. The
 * value's error has two parts. Sampling error: a share p in a run of n effective samples has the
 * variance p (1 - p) / n; if the run's total is counted by samples, too, p / n. Spread: how far the
 * values of several runs differ beyond the sampling error, relative to the value.
 *
 * Few runs determine a spread poorly. So a row's own spread is averaged with the median spread of
 * all rows. The weights are degrees of freedom: the number of runs less 2 for the row's own spread,
 * up to COMPARE_LENT for the median. A row that spreads significantly more than the median (at the
 * 10 % level) uses only its own spread. With one run a side, only the sampling error is known: if
 * runs differ beyond it, too many differences are called significant.
 *
 * q is the false discovery rate of Benjamini and Hochberg: of the rows with q <= 0.05 at most 5 %
 * are false on average, however many rows there are.
 */
#ifndef PROFILE_COMPARE_H
#define PROFILE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

enum { COMPARE_A, COMPARE_B };

/*
 * The median spread of all rows counts as at most this many degrees of freedom in a row's spread.
 */
#define COMPARE_LENT 10.0
/*
 * In medians over rows, a row's weight is its share, but at most this, so that no large row
 * decides.
 */
#define COMPARE_MOST_WEIGHT 0.2
/*
 * A row with fewer effective samples, in all runs together, is not tested: they are too few to show
 * a difference.
 */
#define COMPARE_LEAST_SAMPLES 10.0

struct compare_run {
	double all; /* the run's total, 100 % of a share: all rows, and time that is in no row */
	double effective_samples; /* 0: unknown, nothing is tested */
	bool counted;             /* @all is what samples stand for, not what the kernel measured */
};

struct compare_row {
	double a, b;      /* means of the runs of each side */
	double delta;     /* (b - a) / a; HUGE_VAL: only a is 0; 0: both are 0 */
	double low, high; /* 95 % interval of delta; low -1, high HUGE_VAL: no bound */
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
