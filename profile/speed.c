/* SPDX-License-Identifier: MIT */
#include "profile/speed.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Rows have noise of their own, besides that of samples: relative, per run. */
#define ROW_NOISE   0.01
#define MOST_WEIGHT 0.2
/* If the other rows turn out not to be witnesses, a single row is not believed. */
#define MOST_OF_ONE 0.5
/*
 * The noise to be removed must explain a quarter of the differences between runs, or it is not
 * common.
 */
#define MUST_LEAVE 0.75
/* For normally distributed values: the biweight's bound for 95 % efficiency, the median of |z|. */
#define BIWEIGHT_BOUND   4.685
#define MEDIAN_DEVIATION 0.6745

/* Iterations that derive weights from the noise of each row that the factor leaves. */
#define LEARNING 2
/* Maximum slope of a row. */
#define MOST_SLOPE 2.0
/* If all runs are alike, there is no slope. */
#define LEAST_SQUARES 1e-9

/* A witness: its change between the sides. */
struct witness {
	size_t row;
	double own; /* variance of a run beyond that of samples */
	double slope_variance;
	double change, precision, bounded, weight;
};

struct finding {
	const struct compare_run *run;
	size_t runs[2];
	struct witness *witness;
	size_t n;
};

static size_t first_run(const struct finding *f, int side)
{
	return side == COMPARE_A ? 0 : f->runs[COMPARE_A];
}

static double mean_of(const struct finding *f, int side, const double *value, size_t stride)
{
	double sum = 0;

	for (size_t i = 0; i < f->runs[side]; i++)
		sum += value[(first_run(f, side) + i) * stride];
	return sum / (double)f->runs[side];
}

static bool is_witness(
	const struct compare_run *run, const double *value, size_t stride, size_t runs)
{
	for (size_t i = 0; i < runs; i++) {
		if (!(value[i * stride] / run[i].all * run[i].effective_samples >=
			    SPEED_LEAST_SAMPLES))
			return false;
	}
	return true;
}

/* The variance of the sides' means, summed, for a variance of @one per effective sample. */
static double of_means(const struct finding *f, double one, double of_run)
{
	double sum = 0;

	for (int side = COMPARE_A; side <= COMPARE_B; side++) {
		double runs = (double)f->runs[side];

		for (size_t i = 0; i < f->runs[side]; i++)
			sum += (one / f->run[first_run(f, side) + i].effective_samples + of_run) /
				(runs * runs);
	}
	return sum;
}

static void add_witness(struct finding *f, struct speed *speed, const double *value, size_t row)
{
	double *log_value = speed->log_value + row, middle, all = 0, sum = 0;
	struct witness *witness = &f->witness[f->n++];

	for (size_t i = 0; i < speed->runs; i++) {
		log_value[i * speed->rows] = log(value[i * speed->rows + row]);
		sum += value[i * speed->rows + row];
		all += f->run[i].all;
	}
	*witness = (struct witness){.row = row,
		.own = ROW_NOISE * ROW_NOISE,
		.change = mean_of(f, COMPARE_B, log_value, speed->rows) -
			mean_of(f, COMPARE_A, log_value, speed->rows)};
	middle = mean_of(f, COMPARE_A, log_value, speed->rows) + witness->change / 2;
	for (size_t i = 0; i < speed->runs; i++)
		log_value[i * speed->rows] -= middle;
	speed->noise[row] = all / sum;
}

static void bound_precisions(struct finding *f)
{
	for (size_t i = 0; i < f->n; i++)
		f->witness[i].bounded = f->witness[i].precision;
	/* Each step lowers the bound; with more than 1 / MOST_WEIGHT rows its limit is above 0. */
	for (int step = 0; step < 100; step++) {
		double sum = 0;

		for (size_t i = 0; i < f->n; i++)
			sum += f->witness[i].bounded;
		for (size_t i = 0; i < f->n; i++)
			f->witness[i].bounded = fmin(f->witness[i].bounded, MOST_WEIGHT * sum);
	}
}

struct weighted {
	double value, weight;
};

static int compare_weighted(const void *a, const void *b)
{
	const struct weighted *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static double weighted_median(struct weighted *item, size_t n)
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

/* The change on which most witnesses agree, and the weight of each in it. */
static int weigh_witnesses(struct finding *f, const struct speed *speed)
{
	struct weighted *item = malloc((f->n + 1) * sizeof(*item));
	double change, scale;

	if (!item)
		return -ENOMEM;
	for (size_t i = 0; i < f->n; i++)
		f->witness[i].precision = 1 /
			of_means(f, speed->noise[f->witness[i].row], f->witness[i].own);
	bound_precisions(f);
	for (size_t i = 0; i < f->n; i++)
		item[i] = (struct weighted){f->witness[i].change, f->witness[i].bounded};
	change = weighted_median(item, f->n);
	for (size_t i = 0; i < f->n; i++)
		item[i] = (struct weighted){
			fabs(f->witness[i].change - change) * sqrt(f->witness[i].precision),
			f->witness[i].bounded};
	scale = fmax(weighted_median(item, f->n) / MEDIAN_DEVIATION, 1) * BIWEIGHT_BOUND;
	free(item);
	for (int step = 0; step < 30; step++) {
		double sum = 0, weights = 0;

		for (size_t i = 0; i < f->n; i++) {
			struct witness *witness = &f->witness[i];
			double off = (witness->change - change) * sqrt(witness->precision) / scale;

			witness->weight = fabs(off) < 1
				? witness->bounded * (1 - off * off) * (1 - off * off)
				: 0;
			sum += witness->weight * witness->change;
			weights += witness->weight;
		}
		change = sum / weights;
	}
	return 0;
}

static void add_weight(struct speed *speed, size_t row, double weight)
{
	speed->weight[row] = weight;
	speed->most = fmax(speed->most, weight);
	speed->variance += weight * weight * speed->noise[row];
}

static void set_weights(const struct finding *f, struct speed *speed)
{
	double sum = 0;

	speed->most = speed->variance = 0;
	for (size_t i = 0; i < f->n; i++)
		sum += f->witness[i].weight;
	for (size_t i = 0; i < f->n; i++)
		add_weight(speed, f->witness[i].row, f->witness[i].weight / sum);
	for (size_t i = 0; i < speed->runs; i++) {
		speed->log_factor[i] = 0;
		for (size_t j = 0; j < speed->rows; j++)
			speed->log_factor[i] +=
				speed->weight[j] * speed->log_value[i * speed->rows + j];
	}
}

/* The logarithm of the factor determined by all other rows. */
static double of_others(const struct speed *speed, size_t run, size_t row)
{
	double weight = speed->weight[row];

	return (speed->log_factor[run] - weight * speed->log_value[run * speed->rows + row]) /
		(1 - weight);
}

/*
 * How much a row follows the others' factor from run to run of a side: its regression on that
 * factor. Other users of the caches slow down functions that read much memory far more than others.
 */
static void find_slope(const struct finding *f, struct speed *speed, struct witness *witness)
{
	double xx = 0, xy = 0, sampling = 0, mean[2] = {0};
	size_t row = witness->row;

	for (int side = COMPARE_A; side <= COMPARE_B; side++) {
		size_t first = first_run(f, side), end = first + f->runs[side];
		double y = 0;

		for (size_t i = first; i < end; i++) {
			mean[side] += of_others(speed, i, row) / (double)f->runs[side];
			y += speed->log_value[i * speed->rows + row] / (double)f->runs[side];
		}
		for (size_t i = first; i < end; i++) {
			double x = of_others(speed, i, row) - mean[side];

			xx += x * x;
			xy += x * (speed->log_value[i * speed->rows + row] - y);
		}
	}
	for (size_t i = 0; i < speed->runs; i++)
		sampling += speed->noise[row] / f->run[i].effective_samples / (double)speed->runs;
	xx = fmax(xx, LEAST_SQUARES);
	speed->slope[row] = fmin(fmax(xy / xx, 0), MOST_SLOPE);
	speed->leverage[row] = (mean[1] - mean[0]) * (mean[1] - mean[0]) / xx;
	witness->slope_variance = (sampling + witness->own) / xx;
}

/*
 * Do slopes differ by more than the median expected from their errors (Cochran's Q, by Wilson and
 * Hilferty's approximation of chi squared)? If not, all are set to 1, and cost no degree of
 * freedom.
 */
static void find_slopes(const struct finding *f, struct speed *speed)
{
	double sum = 0, mean = 0, off = 0, freedom = (double)f->n - 1;
	double root = 1 - 2 / (9 * freedom);

	for (size_t i = 0; i < f->n; i++)
		find_slope(f, speed, &f->witness[i]);
	for (size_t i = 0; i < f->n; i++) {
		double weight = 1 / f->witness[i].slope_variance;

		sum += weight;
		mean += weight * speed->slope[f->witness[i].row];
	}
	mean /= sum;
	for (size_t i = 0; i < f->n; i++) {
		double apart = speed->slope[f->witness[i].row] - mean;

		off += apart * apart / f->witness[i].slope_variance;
	}
	speed->taken = off > freedom * root * root * root;
	for (size_t i = 0; i < speed->rows && speed->taken == 0; i++) {
		speed->slope[i] = 1;
		speed->leverage[i] = 0;
	}
}

/*
 * How the runs of a side differ in a witness: sum of squares of the logarithms, with or without the
 * factor.
 */
static double squares_of(
	const struct finding *f, const struct speed *speed, size_t row, bool without)
{
	double sum = 0;

	for (int side = COMPARE_A; side <= COMPARE_B; side++) {
		size_t first = first_run(f, side), end = first + f->runs[side];
		double mean = 0, squares = 0;

		for (size_t i = first; i < end; i++) {
			double value = speed->log_value[i * speed->rows + row];

			if (without)
				value -= log(speed_of(speed, i, row));
			mean += value / (double)f->runs[side];
			squares += value * value;
		}
		sum += squares - mean * mean * (double)f->runs[side];
	}
	return sum;
}

/*
 * The noise of a row that the factor leaves is its own: functions that read much memory have more
 * of it, and are worse witnesses.
 */
static int learn_noise(struct finding *f, const struct speed *speed)
{
	struct weighted *item = malloc((f->n + 1) * sizeof(*item));
	double middle;
	double freedom = fmax((double)speed->runs - 2 - speed->taken, 1);

	if (!item)
		return -ENOMEM;
	for (size_t i = 0; i < f->n; i++) {
		size_t row = f->witness[i].row;
		double sampling = 0;

		for (size_t k = 0; k < speed->runs; k++)
			sampling += (speed->noise[row] + speed_variance(speed, row)) /
				f->run[k].effective_samples / (double)speed->runs;
		f->witness[i].own = fmax(squares_of(f, speed, row, true) / freedom - sampling,
			ROW_NOISE * ROW_NOISE);
		item[i] = (struct weighted){f->witness[i].own, 1};
	}
	/* Few runs determine it poorly: average it with the median of all rows. */
	middle = weighted_median(item, f->n);
	for (size_t i = 0; i < f->n; i++)
		f->witness[i].own = (f->witness[i].own + middle) / 2;
	free(item);
	return 0;
}

/*
 * Do runs agree better without the factor? Not if the disturbance is not common: neighbours in the
 * caches slow down only functions that read much memory. Rows count by their time.
 */
static bool is_common(const struct finding *f, const struct speed *speed)
{
	double with = 0, without = 0, freedom = (double)speed->runs - 2;

	for (size_t i = 0; i < f->n; i++) {
		size_t row = f->witness[i].row;
		double share = 1 / speed->noise[row];

		with += share * squares_of(f, speed, row, false);
		without += share * squares_of(f, speed, row, true);
	}
	return freedom > speed->taken &&
		without / (freedom - speed->taken) < MUST_LEAVE * with / freedom;
}

/*
 * Do the runs of a side differ by more than samples explain, and the sides by more than their runs?
 */
static void judge(const struct finding *f, struct speed *speed)
{
	double a = mean_of(f, COMPARE_A, speed->log_factor, 1);
	double b = mean_of(f, COMPARE_B, speed->log_factor, 1);
	double freedom = (double)speed->runs - 2, spread = 0, sampling = 0, error, reach;
	bool is_apart;

	for (size_t i = 0; i < speed->runs; i++) {
		double off = speed->log_factor[i] - (i < f->runs[COMPARE_A] ? a : b);

		spread += off * off / freedom;
		/* The sum of all rows has no sampling error. */
		sampling += fmax(speed->variance - 1, 0) / f->run[i].effective_samples /
			(double)speed->runs;
	}
	if (speed->most > MOST_OF_ONE)
		return;
	is_apart = spread > 2 * sampling && is_common(f, speed);
	spread = fmax(spread, 2 * sampling);
	error = sqrt(spread / (double)f->runs[COMPARE_A] + spread / (double)f->runs[COMPARE_B]);
	reach = compare_t_limit(0.05, freedom) * error;
	speed->change = exp(b - a) - 1;
	speed->low = exp(b - a - reach) - 1;
	speed->high = exp(b - a + reach) - 1;
	speed->is_change = compare_t_beyond((b - a) / error, freedom) <= SPEED_CHANGED;
	speed->is_noise = is_apart && !speed->is_change;
}

static bool can_be_found(const struct compare_run *run, size_t runs_a, size_t runs_b)
{
	for (size_t i = 0; i < runs_a + runs_b; i++) {
		if (!(run[i].effective_samples > 0) || !(run[i].all > 0))
			return false;
	}
	return runs_a && runs_b && runs_a + runs_b > 2;
}

int speed_find(const struct compare_run *run, size_t runs_a, size_t runs_b, const double *value,
	size_t rows, const bool *skip, struct speed *ret_speed)
{
	struct finding f = {.run = run,
		.runs = {runs_a, runs_b},
		.witness = calloc(rows + 1, sizeof(struct witness))};
	struct speed speed = {.runs = runs_a + runs_b,
		.rows = rows,
		.log_value = calloc((runs_a + runs_b) * rows + 1, sizeof(double)),
		.weight = calloc(rows + 1, sizeof(double)),
		.log_factor = calloc(runs_a + runs_b + 1, sizeof(double)),
		.slope = calloc(rows + 1, sizeof(double)),
		.leverage = calloc(rows + 1, sizeof(double)),
		.noise = calloc(rows + 1, sizeof(double))};
	int error = f.witness && speed.log_value && speed.weight && speed.log_factor &&
			speed.noise && speed.slope && speed.leverage
		? 0
		: -ENOMEM;

	for (size_t i = 0; i < rows && !error; i++)
		speed.slope[i] = 1;
	for (size_t i = 0; i < rows && !error && can_be_found(run, runs_a, runs_b); i++) {
		if (!(skip && skip[i]) && is_witness(run, value + i, rows, speed.runs))
			add_witness(&f, &speed, value, i);
	}
	if (!error && f.n >= SPEED_LEAST_WITNESSES) {
		for (int step = 0; step < LEARNING && !error; step++) {
			error = weigh_witnesses(&f, &speed);
			if (error)
				break;
			set_weights(&f, &speed);
			find_slopes(&f, &speed);
			error = learn_noise(&f, &speed);
		}
		if (!error)
			judge(&f, &speed);
	}
	free(f.witness);
	if (error)
		speed_release(&speed);
	else
		*ret_speed = speed;
	return error;
}

void speed_release(struct speed *speed)
{
	free(speed->log_value);
	free(speed->weight);
	free(speed->log_factor);
	free(speed->noise);
	free(speed->slope);
	free(speed->leverage);
	*speed = (struct speed){0};
}

double speed_of(const struct speed *speed, size_t run, size_t row)
{
	return exp(speed->slope[row] * of_others(speed, run, row));
}

double speed_variance(const struct speed *speed, size_t row)
{
	double weight = speed->weight[row];

	return speed->slope[row] * speed->slope[row] *
		(speed->variance - weight * weight * speed->noise[row]) /
		((1 - weight) * (1 - weight));
}
