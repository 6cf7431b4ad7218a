/* SPDX-License-Identifier: MIT */
#include "profile/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "profile/shrinkage.h"
#include "profile/speed.h"

/* Continued fraction of the incomplete beta function (Lentz's method). */
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

/* The regularized incomplete beta function I_x(a, b). */
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
	double freedom;     /* degrees of freedom of the spread of one row; 0: no spread */
	double mean_beyond; /* mean of @beyond of all rows */
	struct shrinkage prior;
	const struct speed *speed;
	bool *tested;
};

/* How the runs of one side differ in a row. */
struct spread {
	double variance; /* of the values of the runs */
	double sampling; /* the part explained by sampling error */
	double beyond;   /* the unexplained part, relative to the value squared */
	double value;    /* mean of all runs */
};

static size_t first_run(const struct comparing *c, int side)
{
	return side == COMPARE_A ? 0 : c->runs[COMPARE_A];
}

static double value_of(const struct comparing *c, size_t run, size_t row)
{
	return c->value[run * c->rows + row];
}

static double mean_of(const struct comparing *c, int side, size_t row)
{
	double sum = 0;

	for (size_t i = 0; i < c->runs[side]; i++)
		sum += value_of(c, first_run(c, side) + i, row);
	return sum / (double)c->runs[side];
}

static double samples_of(const struct comparing *c, int side)
{
	double sum = 0;

	for (size_t i = 0; i < c->runs[side]; i++)
		sum += c->run[first_run(c, side) + i].effective_samples;
	return sum;
}

static double all_of(const struct comparing *c, int side)
{
	double sum = 0;

	for (size_t i = 0; i < c->runs[side]; i++)
		sum += c->run[first_run(c, side) + i].all;
	return sum;
}

/* The share of both sides together: its value if they do not differ. */
static double common_share(const struct comparing *c, size_t row)
{
	double all = all_of(c, COMPARE_A) + all_of(c, COMPARE_B);
	double sum = mean_of(c, COMPARE_A, row) * (double)c->runs[COMPARE_A] +
		mean_of(c, COMPARE_B, row) * (double)c->runs[COMPARE_B];

	return all > 0 ? fmin(fmax(sum / all, 0), 1) : 0;
}

/*
 * The variance of a share due to one effective sample. After division by a factor determined by
 * other rows' samples, values no longer have a known sum, and their counts are Poisson-distributed.
 */
static double one_sample(const struct comparing *c, size_t row, double share)
{
	if (!c->speed)
		return share * (1 - share);
	return share + share * share * speed_variance(c->speed, row);
}

/* The variance due to sampling alone of a side's mean, if the share is @share. */
static double sampling_variance(const struct comparing *c, int side, size_t row, double share)
{
	double one = one_sample(c, row, share);
	double sum = 0;

	for (size_t i = 0; i < c->runs[side]; i++) {
		const struct compare_run *run = &c->run[first_run(c, side) + i];

		sum += run->all * run->all * one / run->effective_samples;
	}
	return sum / (double)(c->runs[side] * c->runs[side]);
}

static struct spread spread_of(const struct comparing *c, size_t row)
{
	double one = one_sample(c, row, common_share(c, row));
	double runs = (double)(c->runs[COMPARE_A] + c->runs[COMPARE_B]);
	struct spread spread = {0};

	for (int side = COMPARE_A; side <= COMPARE_B; side++) {
		double mean = mean_of(c, side, row);

		for (size_t i = 0; i < c->runs[side]; i++) {
			const struct compare_run *run = &c->run[first_run(c, side) + i];
			double value = value_of(c, first_run(c, side) + i, row);

			spread.value += value / runs;
			spread.variance += (value - mean) * (value - mean) / c->freedom;
			spread.sampling +=
				run->all * run->all * one / run->effective_samples / runs;
		}
	}
	if (spread.value > 0)
		spread.beyond = (spread.variance - spread.sampling) / (spread.value * spread.value);
	return spread;
}

static bool is_testable(const struct comparing *c, size_t row)
{
	double share = common_share(c, row);

	for (size_t i = 0; i < c->runs[COMPARE_A] + c->runs[COMPARE_B]; i++) {
		if (!(c->run[i].effective_samples > 0) || !(c->run[i].all > 0))
			return false;
	}
	return share < 1 &&
		share * (samples_of(c, COMPARE_A) + samples_of(c, COMPARE_B)) >=
		COMPARE_LEAST_SAMPLES;
}

/* The variance of a row that is like all others. */
static double expected_variance(const struct comparing *c, const struct spread *spread)
{
	return spread->sampling + c->mean_beyond * spread->value * spread->value;
}

/* Quantiles of the normal distribution. */
#define ONCE_IN_10   1.281552
#define ONCE_IN_1000 3.090232

/*
 * The quotient of two variances, one with @freedom, one known, that is exceeded by chance as rarely
 * as a normal variable exceeds @quantile. Wilson and Hilferty's approximation of chi squared.
 */
static double odd_quotient(double freedom, double quantile)
{
	double part = 2 / (9 * freedom), root = 1 - part + quantile * sqrt(part);

	return root * root * root;
}

/*
 * The information from rows that are not outliers, weighted by size. Fills in @row; outliers stay
 * empty.
 */
static void learn_from(struct comparing *c, const bool *outlier, struct shrinkage_row *row)
{
	double sum = 0, weights = 0;
	struct spread spread;

	for (size_t i = 0; i < c->rows; i++) {
		if (!c->tested[i] || outlier[i])
			continue;
		sum += common_share(c, i) * spread_of(c, i).beyond;
		weights += common_share(c, i);
	}
	c->mean_beyond = weights > 0 ? fmax(sum / weights, 0) : 0;
	for (size_t i = 0; i < c->rows; i++) {
		row[i] = (struct shrinkage_row){0};
		if (!c->tested[i] || outlier[i])
			continue;
		spread = spread_of(c, i);
		row[i].weight = common_share(c, i);
		row[i].quotient = spread.variance / expected_variance(c, &spread);
	}
	c->prior = shrinkage_find(row, c->rows, c->freedom, COMPARE_PRIOR);
}

/* A row that spreads far more than the others says nothing about them. */
static bool find_outliers(const struct comparing *c, bool *outlier)
{
	bool found = false;

	for (size_t i = 0; i < c->rows; i++) {
		struct spread spread;

		if (!c->tested[i] || outlier[i])
			continue;
		spread = spread_of(c, i);
		outlier[i] = spread.variance > odd_quotient(c->freedom, ONCE_IN_1000) *
				c->prior.scale * expected_variance(c, &spread);
		found = found || outlier[i];
	}
	return found;
}

/* Finds the spread common to all rows. -ENOMEM. */
static int find_prior(struct comparing *c)
{
	struct shrinkage_row *row = calloc(c->rows + 1, sizeof(*row));
	bool *outlier = calloc(c->rows + 1, sizeof(*outlier));
	int r = row && outlier ? 0 : -ENOMEM;

	if (r == 0 && c->freedom > 0) {
		do
			learn_from(c, outlier, row);
		while (find_outliers(c, outlier));
	}
	free(row);
	free(outlier);
	return r;
}

/* The error of a row: of sampling, and between runs. */
struct error {
	double beyond;  /* relative variance between runs; below 0: own includes that of sampling */
	double own;     /* variance between runs */
	double freedom; /* of the t distribution; HUGE_VAL: normal */
};

static struct error error_of(const struct comparing *c, size_t row)
{
	struct error error = {.freedom = HUGE_VAL};
	struct spread spread;
	double variance;

	if (!(c->freedom > 0))
		return error;
	spread = spread_of(c, row);
	error.freedom = c->freedom + c->prior.freedom;
	variance = (c->prior.freedom * c->prior.scale * expected_variance(c, &spread) +
			   c->freedom * spread.variance) /
		error.freedom;
	variance = fmax(variance, spread.sampling);
	if (spread.variance > odd_quotient(c->freedom, ONCE_IN_10) * variance)
		return (struct error){-1, spread.variance, c->freedom};
	if (spread.value > 0)
		error.beyond = (variance - spread.sampling) / (spread.value * spread.value);
	return error;
}

/* The relative variance of a side's mean; for a mean of 0, that of the least detectable value. */
static double relative_variance(
	const struct comparing *c, int side, size_t row, double mean, double *ret_mean)
{
	double all = all_of(c, side) / (double)c->runs[side], n = samples_of(c, side);
	double half = all / n / 2; /* Half a sample. */

	if (mean < half)
		mean = half;
	*ret_mean = mean;
	return sampling_variance(c, side, row, fmin(mean / all, 1)) / (mean * mean);
}

/* The contribution of the error of the factor's slope, in variances of a run. */
static double leverage(const struct comparing *c, size_t row)
{
	return c->speed ? c->speed->leverage[row] : 0;
}

/* The interval of the ratio b / a, from that of its logarithm. */
static void find_interval(
	const struct comparing *c, size_t index, const struct error *error, struct compare_row *row)
{
	double na = (double)c->runs[COMPARE_A], nb = (double)c->runs[COMPARE_B], a, b, reach;
	double variance = relative_variance(c, COMPARE_A, index, row->a, &a) +
		relative_variance(c, COMPARE_B, index, row->b, &b);

	if (error->beyond < 0)
		variance = error->own * (1 / (na * a * a) + 1 / (nb * b * b));
	else
		variance += error->beyond * (1 / na + 1 / nb);
	variance *= 1 + leverage(c, index) / (1 / na + 1 / nb);
	reach = compare_t_limit(0.05, error->freedom) * sqrt(variance);
	row->low = row->b > 0 ? b / a * exp(-reach) - 1 : -1;
	row->high = row->a > 0 ? b / a * exp(reach) - 1 : HUGE_VAL;
}

static void compare_row(const struct comparing *c, size_t index, struct compare_row *row)
{
	double share = common_share(c, index), variance, runs;
	struct error error;

	*row = (struct compare_row){.a = mean_of(c, COMPARE_A, index),
		.b = mean_of(c, COMPARE_B, index),
		.low = -1,
		.high = HUGE_VAL,
		.p = 1,
		.q = 1,
		.tested = c->tested[index]};
	if (row->a > 0)
		row->delta = (row->b - row->a) / row->a;
	else
		row->delta = row->b > 0 ? HUGE_VAL : 0;
	if (!row->tested)
		return;
	error = error_of(c, index);
	runs = 1 / (double)c->runs[COMPARE_A] + 1 / (double)c->runs[COMPARE_B];
	if (error.beyond < 0)
		variance = error.own * runs;
	else
		variance = sampling_variance(c, COMPARE_A, index, share) +
			sampling_variance(c, COMPARE_B, index, share) +
			error.beyond *
				(row->a * row->a / (double)c->runs[COMPARE_A] +
					row->b * row->b / (double)c->runs[COMPARE_B]);
	variance *= 1 + leverage(c, index) / runs;
	row->p = compare_t_beyond((row->b - row->a) / sqrt(variance), error.freedom);
	find_interval(c, index, &error, row);
}

static int compare_p(const void *a, const void *b)
{
	const struct compare_row *const *x = a, *const *y = b;

	return ((*x)->p > (*y)->p) - ((*x)->p < (*y)->p);
}

/* q = min over the rows from this one on, by increasing p, of p * tested / rank. */
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
	size_t rows, const bool *skip, const struct speed *speed, struct compare_row *row)
{
	struct comparing c = {.run = run,
		.runs = {runs_a, runs_b},
		.rows = rows,
		.value = value,
		.freedom = fmax((double)(runs_a + runs_b) - 2 - (speed ? speed->taken : 0), 0),
		.speed = speed,
		.tested = calloc(rows + 1, sizeof(bool))};
	int error = c.tested ? 0 : -ENOMEM;

	for (size_t i = 0; i < rows && !error; i++)
		c.tested[i] = !(skip && skip[i]) && is_testable(&c, i);
	if (!error)
		error = find_prior(&c);
	if (!error) {
		for (size_t i = 0; i < rows; i++)
			compare_row(&c, i, &row[i]);
		error = find_rates(row, rows);
	}
	free(c.tested);
	return error;
}
