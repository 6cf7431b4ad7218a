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
	int64_t *seen, *base; /* by stack and type: value at the last update; at the last reset */
	float *decayed;       /* by stack and type: decayed weight, to be multiplied by the scale */
	size_t seen_room, base_room, decayed_room;
	double half_life_ns;
	uint64_t origin_ns, now_ns, reset_ns; /* when the unit is 1; last update; reset */
	bool begun;                           /* there was an update */
	/* By type, since the reset: sums over all samples of weights, and of their squares. */
	double total[VALUE_TYPES_MAX], total_squares[VALUE_TYPES_MAX];
	/* The decayed sums, in the units of @decayed. */
	double recent[VALUE_TYPES_MAX], recent_squares[VALUE_TYPES_MAX];
	float *factor; /* by stack: factor of CPU values; 1 at @factors and above */
	size_t factors, factor_room;
	double total_ns, recent_ns; /* CPU values of all stacks, times their factors */
	uint32_t *last;             /* by task: 1 + the last stack with a sample; 0: none */
	/* by task: the kernel's CPU time at the last update (UINT64_MAX: unknown); at the reset */
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

/* With @decay: the decayed weight, not yet multiplied by the scale. */
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

/* The CPU time in ns that the kernel charged to a task since the reset. False: unknown. */
bool live_weights_used(const struct live_weights *weights, size_t task, double *ret_ns);

/* The sum of all stacks' weights (@decay: decayed, scaled); the effective number of its samples. */
double live_weights_sum(const struct live_weights *weights, size_t type, bool decay);
double live_weights_effective(const struct live_weights *weights, size_t type, bool decay);

#endif
