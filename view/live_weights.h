/* SPDX-License-Identifier: MIT */
/*
 * What the stacks of a growing profile weigh: since the last reset, and with weights that halve
 * with time, so that what happens now counts. CPU values are planned weights, which become time by
 * a factor of each stack; counts and other values are what they are.
 */
#ifndef VIEW_LIVE_WEIGHTS_H
#define VIEW_LIVE_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

struct live_weights {
	size_t stacks, types;
	int64_t *seen, *base; /* by stack and type: when last looked at; at the last reset */
	float *decayed; /* the same, in units that grow with time: to be multiplied by the scale */
	size_t seen_room, base_room, decayed_room;
	double half_life_ns;
	uint64_t origin_ns, now_ns, reset_ns; /* origin: of the units */
	bool begun;
	double total[VALUE_TYPES_MAX], total_squares[VALUE_TYPES_MAX];
	double recent[VALUE_TYPES_MAX], recent_squares[VALUE_TYPES_MAX]; /* in those units */
	float *factor; /* by stack, of CPU values; beyond @factors: 1 */
	size_t factors, factor_room;
	double total_ns, recent_ns; /* CPU values of all stacks, times their factors */
	uint32_t *last;             /* by task: its latest stack, + 1; 0 none */
	size_t tasks, last_room;
};

void live_weights_init(struct live_weights *weights, double half_life_ns);
void live_weights_release(struct live_weights *weights);

/* Takes in what has come since, and new factors. -ENOMEM. */
int live_weights_update(struct live_weights *weights, const struct profile *profile,
	const float *factor, size_t factors, uint64_t now_ns);
/* All that was is forgotten. */
void live_weights_reset(struct live_weights *weights);

/* By what decayed values are to be multiplied. */
double live_weights_scale(const struct live_weights *weights);
/* One over the nanoseconds that a steady decayed sum stands for: the sum times it is a rate. */
double live_weights_per_ns(const struct live_weights *weights);

/* Not yet multiplied by the scale when @decay. */
static inline double live_weight(
	const struct live_weights *weights, size_t stack, size_t type, bool decay)
{
	size_t i = stack * weights->types + type;
	double weight =
		decay ? (double)weights->decayed[i] : (double)(weights->seen[i] - weights->base[i]);

	return type == VALUE_CPU_NS && stack < weights->factors
		? weight * (double)weights->factor[stack]
		: weight;
}

/* Sum over all stacks, and how many equal samples it is as good as. */
double live_weights_sum(const struct live_weights *weights, size_t type, bool decay);
double live_weights_effective(const struct live_weights *weights, size_t type, bool decay);

#endif
