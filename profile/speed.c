/* SPDX-License-Identifier: MIT */
#include "profile/speed.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/*
 * The factor is noise only if dividing by it leaves less than this part of the variance between
 * runs.
 */
#define MUST_LEAVE 0.75
/* The variance of a median of normal values, relative to that of their mean. */
#define OF_MEDIAN (M_PI / 2)

struct witness {
	double weight;
	double change;     /* mean of log(value) in side B's runs, less that in side A's */
	double *log_value; /* in each run: logarithm of the value, less its side's mean */
};

struct finding {
	size_t runs[2], n;
	struct witness *witness;
	double *log_value; /* of all witnesses */
	struct compare_weighted *item;
	double *factor; /* of each run: the logarithm of its factor relative to its side's */
};

/*
 * Returns the median over the witnesses of their change, or, if @run >= 0, of their log_value in
 * that run.
 */
static double median_of(const struct finding *f, long run)
{
	for (size_t i = 0; i < f->n; i++) {
		const struct witness *w = &f->witness[i];

		f->item[i] = (struct compare_weighted){
			run < 0 ? w->change : w->log_value[run], w->weight};
	}
	return compare_median(f->item, f->n);
}

static bool is_witness(
	const struct compare_run *run, const double *value, size_t stride, size_t runs)
{
	for (size_t i = 0; i < runs; i++) {
		if (!(run[i].all > 0) || !(run[i].effective_samples > 0) ||
			!(value[i * stride] / run[i].all * run[i].effective_samples >=
				SPEED_LEAST_SAMPLES))
			return false;
	}
	return true;
}

static void add_witness(
	struct finding *f, const struct compare_run *run, const double *value, size_t stride)
{
	size_t runs = f->runs[0] + f->runs[1];
	struct witness *w = &f->witness[f->n];
	double mean[2] = {0};

	w->log_value = f->log_value + f->n++ * runs;
	for (size_t i = 0; i < runs; i++) {
		int side = i >= f->runs[0];

		w->log_value[i] = log(value[i * stride]);
		mean[side] += w->log_value[i] / (double)f->runs[side];
		w->weight += value[i * stride] / run[i].all / (double)runs;
	}
	w->weight = fmin(w->weight, COMPARE_MOST_WEIGHT);
	w->change = mean[1] - mean[0];
	for (size_t i = 0; i < runs; i++)
		w->log_value[i] -= mean[i >= f->runs[0]];
}

/*
 * Is the factor common to all rows? Without it, the runs must agree clearly better. Otherwise only
 * some rows were slower.
 */
static bool is_common(const struct finding *f)
{
	double with = 0, without = 0;

	for (size_t i = 0; i < f->n; i++) {
		const struct witness *w = &f->witness[i];

		for (size_t j = 0; j < f->runs[0] + f->runs[1]; j++) {
			double rest = w->log_value[j] - f->factor[j];

			with += w->weight * w->log_value[j] * w->log_value[j];
			without += w->weight * rest * rest;
		}
	}
	return without < MUST_LEAVE * with;
}

static void judge(const struct finding *f, const struct compare_run *run, struct speed *speed)
{
	double a = (double)f->runs[0], b = (double)f->runs[1], freedom = a + b - 2;
	double change = median_of(f, -1), spread = 0, sampling = 0, error, reach;

	for (size_t i = 0; i < speed->runs; i++) {
		f->factor[i] = median_of(f, (long)i);
		speed->log_factor[i] = f->factor[i] + (i < f->runs[0] ? -change : change) / 2;
		spread += f->factor[i] * f->factor[i] / freedom;
		sampling += OF_MEDIAN / run[i].effective_samples / (a + b);
	}
	speed->is_noise = spread > 2 * sampling && is_common(f);
	error = sqrt(fmax(spread, 2 * sampling) * (1 / a + 1 / b));
	reach = compare_t_limit(0.05, freedom) * error;
	speed->change = exp(change) - 1;
	speed->low = exp(change - reach) - 1;
	speed->high = exp(change + reach) - 1;
	speed->is_change = compare_t_beyond(change / error, freedom) <= SPEED_CHANGED;
	speed->is_noise &= !speed->is_change;
}

int speed_find(const struct compare_run *run, size_t runs_a, size_t runs_b, const double *value,
	size_t rows, const bool *skip, struct speed *ret_speed)
{
	size_t runs = runs_a + runs_b;
	struct finding f = {.runs = {runs_a, runs_b},
		.witness = calloc(rows + 1, sizeof(*f.witness)),
		.log_value = calloc(runs * rows + 1, sizeof(double)),
		.item = calloc(rows + 1, sizeof(*f.item)),
		.factor = calloc(runs + 1, sizeof(double))};
	struct speed speed = {.runs = runs, .log_factor = calloc(runs + 1, sizeof(double))};
	bool has_room = f.witness && f.log_value && f.item && f.factor && speed.log_factor;

	for (size_t i = 0; i < rows && has_room && runs_a && runs_b && runs > 2; i++) {
		if (!(skip && skip[i]) && is_witness(run, value + i, rows, runs))
			add_witness(&f, run, value + i, rows);
	}
	if (f.n >= SPEED_LEAST_WITNESSES)
		judge(&f, run, &speed);
	free(f.witness);
	free(f.log_value);
	free(f.item);
	free(f.factor);
	if (!has_room) {
		speed_release(&speed);
		return -ENOMEM;
	}
	*ret_speed = speed;
	return 0;
}

void speed_release(struct speed *speed)
{
	free(speed->log_factor);
	*speed = (struct speed){0};
}
