/* SPDX-License-Identifier: MIT */
/*
 * The weights of a growing profile's stacks: summed up since the last reset; and decayed, so that
 * the present counts most. A factor per stack converts CPU values, which are planned weights, to
 * time. Other values are used as they are.
 *
 * Decayed weights are kept in units that grow with time (1 / scale): an update changes only the
 * stacks with new samples.
 */
#ifndef VIEW_LIVE_LIVE_WEIGHTS_H
#define VIEW_LIVE_LIVE_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

struct live_weights {
	size_t stacks, types;
	/* The value of each stack and type at the last update, and at the last reset. */
	int64_t *seen, *base;
	float *decayed; /* by stack and type: decayed weight, to be multiplied by the scale */
	size_t seen_room, base_room, decayed_room;
	double half_life_ns;
	/* The times at which the unit is 1, of the last update, and of the last reset. */
	uint64_t origin_ns, now_ns, reset_ns;
	bool begun; /* there was an update */
	/* By type: the sums of all weights since the reset, and of their squares. */
	double total[VALUE_TYPES_MAX], total_squares[VALUE_TYPES_MAX];
	/* The same sums of decayed weights, in the units of @decayed. */
	double recent[VALUE_TYPES_MAX], recent_squares[VALUE_TYPES_MAX];
	float *factor; /* by stack: factor of its CPU value; stacks from @factors on have 1 */
	size_t factors, factor_room;
	double total_ns, recent_ns; /* CPU values of all stacks, times their factors */
	uint32_t *last;             /* by task: 1 + the last stack with a sample; 0: none */
	/* The kernel's CPU time of each task at the last update (UINT64_MAX: unknown) and reset. */
	uint64_t *used_ns, *used_before_ns;
	size_t tasks, last_room, used_room, before_room;
};

void live_weights_init(struct live_weights *weights, double half_life_ns);
void live_weights_release(struct live_weights *weights);

/* Adds what the stacks have gained since the last call, and copies the factors. 0 or -ENOMEM. */
int live_weights_update(struct live_weights *weights, const struct profile *profile,
	const float *factor, size_t factors, uint64_t now_ns);
void live_weights_reset(struct live_weights *weights);

/* Returns the factor that converts decayed weights to the present unit. */
double live_weights_scale(const struct live_weights *weights);
/*
 * Returns the factor that converts a decayed sum to a rate (per ns). Its reciprocal is the time in
 * ns in which a constant rate, without decay, would reach that sum.
 */
double live_weights_per_ns(const struct live_weights *weights);

/* Returns a stack's weight; with @decay the decayed one, not yet multiplied by the scale. */
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

/* Gets the CPU time in ns that the kernel charged to a task since the reset. False: unknown. */
bool live_weights_used(const struct live_weights *weights, size_t task, double *ret_ns);

/* Return the sum of all stacks' weights (with @decay: decayed, scaled), and its effective size. */
double live_weights_sum(const struct live_weights *weights, size_t type, bool decay);
double live_weights_effective(const struct live_weights *weights, size_t type, bool decay);

#endif
