/* SPDX-License-Identifier: MIT */
#include "view/live/live_weights.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/table.h"
#include "profile/stats.h"

/*
 * The unit of decayed weights doubles each half-life. After this many half-lives it begins at 1
 * again: 2^40 is far from overflow.
 */
#define UNITS_LAST 40

void live_weights_init(struct live_weights *weights, double half_life_ns)
{
	*weights = (struct live_weights){.half_life_ns = half_life_ns};
}

void live_weights_begin(struct live_weights *weights, uint64_t begun_ns)
{
	weights->begun = true;
	weights->origin_ns = weights->now_ns = weights->reset_ns = begun_ns;
}

void live_weights_release(struct live_weights *weights)
{
	free(weights->seen);
	free(weights->base);
	free(weights->decayed);
	free(weights->last);
	free(weights->used_ns);
	free(weights->used_before_ns);
	free(weights->factor);
	*weights = (struct live_weights){0};
}

double live_weights_scale(const struct live_weights *weights)
{
	return exp2(-(double)(weights->now_ns - weights->origin_ns) / weights->half_life_ns);
}

double live_weights_per_ns(const struct live_weights *weights)
{
	double age = (double)(weights->now_ns - weights->reset_ns) / weights->half_life_ns;

	/*
	 * A constant rate of 1 per ns has this decayed sum: the integral of 2^(-t / half-life) over
	 * the time t since the reset. The result is its reciprocal.
	 */
	return age > 0 ? M_LN2 / weights->half_life_ns / (1 - exp2(-age)) : 0;
}

/* Multiplies decayed weights by the scale, so that the scale is 1 again. */
static void renew_units(struct live_weights *weights)
{
	double scale = live_weights_scale(weights);

	for (size_t i = 0; i < weights->stacks * weights->types; i++)
		weights->decayed[i] *= (float)scale;
	for (size_t i = 0; i < weights->types; i++) {
		weights->recent[i] *= scale;
		weights->recent_squares[i] *= scale * scale;
	}
	weights->origin_ns = weights->now_ns;
}

static int make_room(struct live_weights *weights, size_t stacks, size_t tasks)
{
	size_t before = weights->stacks * weights->types, n = stacks * weights->types;

	if (array_grow(&weights->seen, &weights->seen_room, n + 1) < 0 ||
		array_grow(&weights->base, &weights->base_room, n + 1) < 0 ||
		array_grow(&weights->decayed, &weights->decayed_room, n + 1) < 0 ||
		array_grow(&weights->last, &weights->last_room, tasks + 1) < 0 ||
		array_grow(&weights->used_ns, &weights->used_room, tasks + 1) < 0 ||
		array_grow(&weights->used_before_ns, &weights->before_room, tasks + 1) < 0)
		return -ENOMEM;
	memset(weights->seen + before, 0, (n - before) * sizeof(int64_t));
	memset(weights->base + before, 0, (n - before) * sizeof(int64_t));
	memset(weights->decayed + before, 0, (n - before) * sizeof(float));
	memset(weights->last + weights->tasks, 0, (tasks - weights->tasks) * sizeof(uint32_t));
	memset(weights->used_before_ns + weights->tasks, 0,
		(tasks - weights->tasks) * sizeof(*weights->used_before_ns));
	weights->stacks = stacks;
	weights->tasks = tasks;
	return 0;
}

/* @unit: by power, the means of mean_unit(). */
static void add_stack(
	struct live_weights *weights, size_t stack, const int64_t *value, const double unit[3])
{
	int64_t *seen = weights->seen + stack * weights->types;
	double samples = (double)(value[VALUE_SAMPLES] - seen[VALUE_SAMPLES]);

	for (size_t i = 0; i < weights->types; i++) {
		double more = (double)(value[i] - seen[i]);

		if (more <= 0)
			continue;
		weights->decayed[stack * weights->types + i] += (float)(more * unit[1]);
		weights->total[i] += more;
		weights->recent[i] += more * unit[1];
		/* The samples of a stack between two updates are assumed to have equal weights. */
		if (samples > 0) {
			weights->total_squares[i] += more * more / samples;
			weights->recent_squares[i] += more * more * unit[2] / samples;
		}
		seen[i] = value[i];
	}
}

/*
 * Returns the mean of the unit to the power @power since @before_ns, for what came since then:
 * after a pause, or with a long delay, that is much less than that of the unit now. The rate is
 * assumed to be constant in that time.
 */
static double mean_unit(const struct live_weights *weights, uint64_t before_ns, double power)
{
	double x = power * M_LN2 * (double)(weights->now_ns - before_ns) / weights->half_life_ns;

	return (x > 0 ? -expm1(-x) / x : 1) / pow(live_weights_scale(weights), power);
}

static int take_factors(struct live_weights *weights, const float *factor, size_t factors)
{
	if (array_grow(&weights->factor, &weights->factor_room, factors + 1) < 0)
		return -ENOMEM;
	if (factors)
		memcpy(weights->factor, factor, factors * sizeof(*weights->factor));
	weights->factors = factors;
	return 0;
}

static void sum_up(struct live_weights *weights)
{
	weights->total_ns = weights->recent_ns = 0;
	for (size_t i = 0; i < weights->stacks; i++) {
		weights->total_ns += live_weight(weights, i, VALUE_CPU_NS, false);
		weights->recent_ns += live_weight(weights, i, VALUE_CPU_NS, true);
	}
}

int live_weights_update(struct live_weights *weights, const struct profile *profile,
	const float *factor, size_t factors, uint64_t now_ns)
{
	size_t types = profile_value_types(profile), stacks = profile_samples(profile);
	uint64_t before_ns = weights->now_ns;
	double unit[3] = {1};
	int r;

	/* A new value type makes all weights start again. */
	if (types != weights->types) {
		weights->stacks = 0;
		weights->types = types;
		memset(weights->total, 0, sizeof(weights->total));
		memset(weights->total_squares, 0, sizeof(weights->total_squares));
		memset(weights->recent, 0, sizeof(weights->recent));
		memset(weights->recent_squares, 0, sizeof(weights->recent_squares));
	}
	if (now_ns > weights->now_ns)
		weights->now_ns = now_ns;
	if ((double)(weights->now_ns - weights->origin_ns) > UNITS_LAST * weights->half_life_ns)
		renew_units(weights);
	unit[1] = mean_unit(weights, before_ns, 1);
	unit[2] = mean_unit(weights, before_ns, 2);
	r = make_room(weights, stacks, profile_tasks(profile));
	if (r == 0)
		r = take_factors(weights, factor, factors);
	if (r < 0)
		return r;
	for (size_t i = 0; i < stacks; i++) {
		struct sample sample = profile_sample(profile, i);

		if (!memcmp(sample.value, weights->seen + i * types, types * sizeof(int64_t)))
			continue;
		add_stack(weights, i, sample.value, unit);
		weights->last[sample.task] = (uint32_t)i + 1;
	}
	for (size_t i = 0; i < weights->tasks; i++) {
		if (!profile_task_cpu(profile, i, &weights->used_ns[i]))
			weights->used_ns[i] = UINT64_MAX;
	}
	sum_up(weights);
	return 0;
}

bool live_weights_used(const struct live_weights *weights, size_t task, double *ret_ns)
{
	if (weights->used_ns[task] == UINT64_MAX)
		return false;
	*ret_ns = (double)(weights->used_ns[task] - weights->used_before_ns[task]);
	return true;
}

void live_weights_reset(struct live_weights *weights)
{
	memcpy(weights->base, weights->seen, weights->stacks * weights->types * sizeof(int64_t));
	for (size_t i = 0; i < weights->tasks; i++) {
		if (weights->used_ns[i] != UINT64_MAX)
			weights->used_before_ns[i] = weights->used_ns[i];
	}
	memset(weights->decayed, 0, weights->stacks * weights->types * sizeof(float));
	memset(weights->total, 0, sizeof(weights->total));
	memset(weights->total_squares, 0, sizeof(weights->total_squares));
	memset(weights->recent, 0, sizeof(weights->recent));
	memset(weights->recent_squares, 0, sizeof(weights->recent_squares));
	weights->total_ns = weights->recent_ns = 0;
	weights->reset_ns = weights->now_ns;
}

double live_weights_sum(const struct live_weights *weights, size_t type, bool decay)
{
	bool is_cpu = type == VALUE_CPU_NS;

	if (!decay)
		return is_cpu ? weights->total_ns : weights->total[type];
	return (is_cpu ? weights->recent_ns : weights->recent[type]) * live_weights_scale(weights);
}

double live_weights_effective(const struct live_weights *weights, size_t type, bool decay)
{
	return decay ? stats_effective_samples(weights->recent[type], weights->recent_squares[type])
		     : stats_effective_samples(weights->total[type], weights->total_squares[type]);
}
