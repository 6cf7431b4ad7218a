/* SPDX-License-Identifier: MIT */
/*
 * The weights of the stacks of a growing profile: since the last reset, and decayed, so that the
 * present counts most. CPU values are planned weights, which are converted to time by a factor per
 * stack; counts and other values are used directly.
 */
#ifndef VIEW_LIVE_LIVE_WEIGHTS_H
#define VIEW_LIVE_LIVE_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

struct live_weights {
	size_t stacks, types;
	int64_t *seen, *base; /* by stack and type: at the last update; at the last reset */
	/* likewise, decayed: in units that grow with time, to be multiplied by the scale */
	float *decayed;
	size_t seen_room, base_room, decayed_room;
	double half_life_ns;
	uint64_t origin_ns, now_ns, reset_ns; /* origin: time at which a unit is 1 */
	bool begun;
	double total[VALUE_TYPES_MAX], total_squares[VALUE_TYPES_MAX];
	/* in the units of @decayed */
	double recent[VALUE_TYPES_MAX], recent_squares[VALUE_TYPES_MAX];
	float *factor; /* by stack: factor of CPU values; beyond @factors: 1 */
	size_t factors, factor_room;
	double total_ns, recent_ns; /* CPU values of all stacks, times their factors */
	uint32_t *last;             /* by task: its last stack + 1; 0 none */
	/* by task: the kernel's time at the last update; at the last reset; UINT64_MAX unknown */
	uint64_t *used_ns, *used_before_ns;
	size_t tasks, last_room, used_room, before_room;
};

void live_weights_init(struct live_weights *weights, double half_life_ns);
void live_weights_release(struct live_weights *weights);

/* Adds new values and factors. -ENOMEM. */
int live_weights_update(struct live_weights *weights, const struct profile *profile,
	const float *factor, size_t factors, uint64_t now_ns);
/* Forgets all weights. */
void live_weights_reset(struct live_weights *weights);

/* The factor for decayed values. */
double live_weights_scale(const struct live_weights *weights);
/*
 * The reciprocal of the nanoseconds that a steady decayed sum represents: multiplied by it, a sum
 * is a rate.
 */
double live_weights_per_ns(const struct live_weights *weights);

/* The weight of a stack; with @decay, not yet multiplied by the scale. */
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

/* The kernel's CPU time of a task since the reset; false: it is unknown. */
bool live_weights_used(const struct live_weights *weights, size_t task, double *ret_ns);

/* The sum over all stacks, and the equivalent number of equal samples. */
double live_weights_sum(const struct live_weights *weights, size_t type, bool decay);
double live_weights_effective(const struct live_weights *weights, size_t type, bool decay);

#endif
