/* SPDX-License-Identifier: MIT */
#include "profile/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Returns the continued fraction of the incomplete beta function (Lentz's method). */
static double beta_fraction(double a, double b, double x)
{
	const double least = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < least ? least : d);
	h = d;
	for (int i = 1; i <= 500; i++) {
		double even = i * (b - i) * x / ((a + 2 * i - 1) * (a + 2 * i));
		double odd = -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 2 * i + 1));
		double step;

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < least ? least : d);
		c = fabs(c) < least ? least : c;
		h *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < least ? least : d);
		c = fabs(c) < least ? least : c;
		step = d * c;
		h *= step;
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return h;
}

/* Returns the regularized incomplete beta function I_x(a, b). */
static double incomplete_beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double compare_t_beyond(double t, double freedom)
{
	if (!isfinite(freedom))
		return erfc(fabs(t) / sqrt(2));
	return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
}

double compare_t_limit(double p, double freedom)
{
	double low = 0, high = 1e6;

	for (int i = 0; i < 100; i++) {
		double middle = (low + high) / 2;

		if (compare_t_beyond(middle, freedom) > p)
			low = middle;
		else
			high = middle;
	}
	return (low + high) / 2;
}

struct comparing {
	const struct compare_run *run;
	size_t runs[2], rows;
	const double *value;
	double freedom; /* degrees of freedom of one row's spread; 0: there is none */
	bool scaled;    /* values were divided by factors computed from other rows (speed.h) */
	double beyond;  /* median over rows: variance between runs less sampling's, / mean^2 */
	double lent;    /* degrees of freedom of @beyond in a row's error */
	bool *tested;
};

/* The spread of one row: how much its values differ between the runs of the same side. */
struct spread {
	double variance; /* of the runs' values about the mean of their side */
	double sampling; /* the part explained by sampling error */
	double square;   /* the squared mean of all runs */
};

static size_t first_run(const struct comparing *c, int side)
{
	return side == COMPARE_A ? 0 : c->runs[COMPARE_A];
}

static double mean_of(const struct comparing *c, int side, size_t row)
{
	double sum = 0;

	for (size_t i = 0; i < c->runs[side]; i++)
		sum += c->value[(first_run(c, side) + i) * c->rows + row];
	return sum / (double)c->runs[side];
}

static struct compare_run sum_of(const struct comparing *c, int side)
{
	struct compare_run sum = {0};

	for (size_t i = 0; i < c->runs[side]; i++) {
		sum.all += c->run[first_run(c, side) + i].all;
		sum.effective_samples += c->run[first_run(c, side) + i].effective_samples;
	}
	return sum;
}

/*
 * Returns a row's share in all runs of both sides, in 0 to 1. It is the best estimate of the share
 * if the sides do not differ.
 */
static double common_share(const struct comparing *c, size_t row)
{
	double all = sum_of(c, COMPARE_A).all + sum_of(c, COMPARE_B).all;
	double sum = mean_of(c, COMPARE_A, row) * (double)c->runs[COMPARE_A] +
		mean_of(c, COMPARE_B, row) * (double)c->runs[COMPARE_B];

	return all > 0 ? fmin(fmax(sum / all, 0), 1) : 0;
}

/*
 * Returns the variance that sampling causes in a run's value if the row's share is @share. As all
 * shares of a run of n effective samples add up to 1, the variance of a share is share (1 - share)
 * / n. Values divided by a factor (c->scaled) do not have a fixed sum. Then the row's count is
 * Poisson-distributed, with the variance share / n. The factor, found from the run's n samples, has
 * an error of its own, which adds share^2 / n. A counted total has no fixed sum, either.
 */
static double sampling_variance(const struct comparing *c, size_t run, double share)
{
	double one = c->scaled        ? share * (1 + share)
		: c->run[run].counted ? share
				      : share * (1 - share);

	return c->run[run].all * c->run[run].all * one / c->run[run].effective_samples;
}

static double sampling_of_mean(const struct comparing *c, int side, double share)
{
	double sum = 0, runs = (double)c->runs[side];

	for (size_t i = 0; i < c->runs[side]; i++)
		sum += sampling_variance(c, first_run(c, side) + i, share);
	return sum / (runs * runs);
}

static struct spread spread_of(const struct comparing *c, size_t row)
{
	double share = common_share(c, row), value = 0;
	double runs = (double)(c->runs[COMPARE_A] + c->runs[COMPARE_B]);
	struct spread spread = {0};

	for (int side = COMPARE_A; side <= COMPARE_B; side++) {
		double mean = mean_of(c, side, row);

		for (size_t i = 0; i < c->runs[side]; i++) {
			size_t run = first_run(c, side) + i;
			double off = c->value[run * c->rows + row] - mean;

			value += mean / runs;
			spread.variance += off * off / c->freedom;
			spread.sampling += sampling_variance(c, run, share) / runs;
		}
	}
	spread.square = value * value;
	return spread;
}

/*
 * Is the row the total of all runs? The limit is a little below 1, because sums have rounding
 * errors.
 */
static bool is_whole(const struct comparing *c, size_t row)
{
	return common_share(c, row) >= 1 - 1e-9;
}

static bool is_testable(const struct comparing *c, size_t row)
{
	for (size_t i = 0; i < c->runs[COMPARE_A] + c->runs[COMPARE_B]; i++) {
		if (!(c->run[i].effective_samples > 0) || !(c->run[i].all > 0))
			return false;
	}
	return !is_whole(c, row) &&
		common_share(c, row) *
			(sum_of(c, COMPARE_A).effective_samples +
				sum_of(c, COMPARE_B).effective_samples) >=
		COMPARE_LEAST_SAMPLES;
}

/* A standard normal variable exceeds this with a probability of 10 %. */
#define ONCE_IN_10 1.281552

/*
 * Returns a limit for the quotient of an estimated variance with @freedom degrees of freedom and
 * the true variance. By chance, the quotient exceeds the limit as rarely as a standard normal
 * variable exceeds @quantile. (Wilson and Hilferty's approximation of chi squared.)
 */
static double odd_quotient(double freedom, double quantile)
{
	double part = 2 / (9 * freedom), root = 1 - part + quantile * sqrt(part);

	return root * root * root;
}

static int compare_weighted(const void *a, const void *b)
{
	const struct compare_weighted *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

double compare_median(struct compare_weighted *item, size_t n)
{
	double all = 0, sum = 0;
	size_t i;

	qsort(item, n, sizeof(*item), compare_weighted);
	for (i = 0; i < n; i++)
		all += item[i].weight;
	for (i = 0; i + 1 < n; i++) {
		sum += item[i].weight;
		if (sum >= all / 2)
			break;
	}
	return item[i].value;
}

/*
 * Sets @beyond and @lent from the spreads of the tested rows. @beyond is their median, because a
 * few rows that spread far more do not move a median. 0 or -ENOMEM.
 */
static int find_common_spread(struct comparing *c)
{
	struct compare_weighted *item = malloc((c->rows + 1) * sizeof(*item));
	size_t n = 0;

	if (!item)
		return -ENOMEM;
	for (size_t i = 0; i < c->rows && c->freedom > 0; i++) {
		struct spread spread;

		if (!c->tested[i])
			continue;
		spread = spread_of(c, i);
		item[n++] = (struct compare_weighted){
			(spread.variance / odd_quotient(c->freedom, 0) - spread.sampling) /
				spread.square,
			fmin(common_share(c, i), COMPARE_MOST_WEIGHT)};
	}
	if (n) {
		c->beyond = fmax(compare_median(item, n), 0);
		/*
		 * A median of few rows is uncertain itself, so it counts as fewer degrees of
		 * freedom.
		 */
		c->lent = fmin(COMPARE_LENT, c->freedom * (double)(n - 1) / 2);
	}
	free(item);
	return 0;
}

/* The error of a row's values between runs. */
struct error {
	double beyond;  /* variance between runs less sampling's, / mean^2; -1: use @own */
	double own;     /* variance between runs, sampling included */
	double freedom; /* degrees of freedom of t; HUGE_VAL: normal */
};

static struct error error_of(const struct comparing *c, size_t row)
{
	struct error error = {.freedom = HUGE_VAL};
	struct spread spread;
	double expected, variance;

	if (!(c->freedom > 0))
		return error;
	spread = spread_of(c, row);
	expected = spread.sampling + c->beyond * spread.square;
	if (spread.variance > odd_quotient(c->freedom, ONCE_IN_10) * expected)
		return (struct error){-1, spread.variance, c->freedom};
	error.freedom = c->freedom + c->lent;
	variance = (c->lent * expected + c->freedom * spread.variance) / error.freedom;
	error.beyond = fmax(variance - spread.sampling, 0) / spread.square;
	return error;
}

/*
 * Returns the variance that sampling causes in a side's mean, divided by the mean squared. A mean
 * below half a sample's value is raised to that, because a mean of 0 has no relative variance.
 * *@ret_mean: the mean that was used.
 */
static double relative_variance(const struct comparing *c, int side, double mean, double *ret_mean)
{
	struct compare_run sum = sum_of(c, side);
	double all = sum.all / (double)c->runs[side];

	mean = fmax(mean, all / sum.effective_samples / 2);
	*ret_mean = mean;
	return sampling_of_mean(c, side, fmin(mean / all, 1)) / (mean * mean);
}

/* Finds the 95 % interval of b / a - 1, from the interval of the logarithm of b / a. */
static void find_interval(
	const struct comparing *c, const struct error *error, struct compare_row *row)
{
	double na = (double)c->runs[COMPARE_A], nb = (double)c->runs[COMPARE_B], a, b, reach;
	double variance = relative_variance(c, COMPARE_A, row->a, &a) +
		relative_variance(c, COMPARE_B, row->b, &b);

	if (error->beyond < 0)
		variance = error->own * (1 / (na * a * a) + 1 / (nb * b * b));
	else
		variance += error->beyond * (1 / na + 1 / nb);
	reach = compare_t_limit(0.05, error->freedom) * sqrt(variance);
	row->low = row->b > 0 ? b / a * exp(-reach) - 1 : -1;
	row->high = row->a > 0 ? b / a * exp(reach) - 1 : HUGE_VAL;
}

static void compare_row(const struct comparing *c, size_t index, struct compare_row *row)
{
	double na = (double)c->runs[COMPARE_A], nb = (double)c->runs[COMPARE_B];
	double share = common_share(c, index), variance;
	struct error error;

	*row = (struct compare_row){.a = mean_of(c, COMPARE_A, index),
		.b = mean_of(c, COMPARE_B, index),
		.low = -1,
		.high = HUGE_VAL,
		.p = 1,
		.q = 1,
		.tested = c->tested[index],
		.whole = is_whole(c, index)};
	if (row->a > 0)
		row->delta = (row->b - row->a) / row->a;
	else
		row->delta = row->b > 0 ? HUGE_VAL : 0;
	if (!row->tested)
		return;
	error = error_of(c, index);
	if (error.beyond < 0)
		variance = error.own * (1 / na + 1 / nb);
	else
		variance = sampling_of_mean(c, COMPARE_A, share) +
			sampling_of_mean(c, COMPARE_B, share) +
			error.beyond * (row->a * row->a / na + row->b * row->b / nb);
	row->p = compare_t_beyond((row->b - row->a) / sqrt(variance), error.freedom);
	find_interval(c, &error, row);
}

static int compare_p(const void *a, const void *b)
{
	const struct compare_row *const *x = a, *const *y = b;

	return ((*x)->p > (*y)->p) - ((*x)->p < (*y)->p);
}

/*
 * Sets q of each tested row (Benjamini and Hochberg). Rows are ranked by increasing p. Each row has
 * the quotient p * number of rows / rank. The row's q is the minimum of its own quotient and those
 * of all rows of higher rank. 0 or -ENOMEM.
 */
static int find_rates(struct compare_row *row, size_t rows)
{
	struct compare_row **order = malloc((rows + 1) * sizeof(struct compare_row *));
	double least = 1;
	size_t n = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < rows; i++) {
		if (row[i].tested)
			order[n++] = &row[i];
	}
	qsort(order, n, sizeof(struct compare_row *), compare_p);
	for (size_t i = n; i-- > 0;) {
		least = fmin(least, order[i]->p * (double)n / (double)(i + 1));
		order[i]->q = least;
	}
	free(order);
	return 0;
}

int compare_rows(const struct compare_run *run, size_t runs_a, size_t runs_b, const double *value,
	size_t rows, const bool *skip, bool scaled, struct compare_row *row)
{
	struct comparing c = {.run = run,
		.runs = {runs_a, runs_b},
		.rows = rows,
		.value = value,
		.freedom = fmax((double)(runs_a + runs_b) - 2, 0),
		.scaled = scaled,
		.tested = calloc(rows + 1, sizeof(bool))};
	int error = c.tested ? 0 : -ENOMEM;

	for (size_t i = 0; i < rows && !error; i++)
		c.tested[i] = !(skip && skip[i]) && is_testable(&c, i);
	if (!error)
		error = find_common_spread(&c);
	if (!error) {
		for (size_t i = 0; i < rows; i++)
			compare_row(&c, i, &row[i]);
		error = find_rates(row, rows);
	}
	free(c.tested);
	return error;
}
