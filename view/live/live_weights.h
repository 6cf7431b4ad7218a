/* SPDX-License-Identifier: MIT */
/*
 * The weights of the stacks of a growing profile: summed up since the last reset, and decayed, so
 * that the present counts most. The CPU values of a profile are planned weights, which a factor per
 * stack converts to time. Other values are used as they are.
 *
 * Decayed weights are kept in units that grow with time (1 / scale), so that an update changes only
 * the stacks with new samples.
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
	uint64_t origin_ns, now_ns, reset_ns; /* origin: when the unit is 1; last update; reset */
	bool begun;                           /* there was an update */
	/* By type: sums over all samples since the reset, of weights and of their squares. */
	double total[VALUE_TYPES_MAX], total_squares[VALUE_TYPES_MAX];
	/* The same, decayed, in the units of @decayed. */
	double recent[VALUE_TYPES_MAX], recent_squares[VALUE_TYPES_MAX];
	float *factor; /* by stack: factor of CPU values; 1 for stacks at @factors and above */
	size_t factors, factor_room;
	double total_ns, recent_ns; /* CPU values of all stacks, times their factors */
	uint32_t *last;             /* by task: the last stack that had a sample + 1; 0 none */
	/*
	 * By task: the kernel's CPU time at the last update (UINT64_MAX unknown), and at the reset.
	 */
	uint64_t *used_ns, *used_before_ns;
	size_t tasks, last_room, used_room, before_room;
};

void live_weights_init(struct live_weights *weights, double half_life_ns);
void live_weights_release(struct live_weights *weights);

/*
 * Adds what the profile's stacks have gained since the last call, and copies the factors. 0 or
 * -ENOMEM.
 */
int live_weights_update(struct live_weights *weights, const struct profile *profile,
	const float *factor, size_t factors, uint64_t now_ns);
/* Sets all weights to 0. */
void live_weights_reset(struct live_weights *weights);

/* Returns the scale: the factor that converts decayed weights to the present unit. */
double live_weights_scale(const struct live_weights *weights);
/*
 * Returns the factor that converts a decayed sum to a rate (per ns). Its reciprocal is the time, in
 * ns, over which a constant rate would add up to the same sum if nothing decayed.
 */
double live_weights_per_ns(const struct live_weights *weights);

/*
 * Returns the weight of a stack. With @decay, it is the decayed one, not yet multiplied by the
 * scale.
 */
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

/*
 * Gets the CPU time that the kernel charged to a task since the reset, in ns. False: it is unknown.
 */
bool live_weights_used(const struct live_weights *weights, size_t task, double *ret_ns);

/*
 * live_weights_sum() returns the sum of the weights of all stacks (see live_weight() for @decay),
 * live_weights_effective() the effective number of samples in it.
 */
double live_weights_sum(const struct live_weights *weights, size_t type, bool decay);
double live_weights_effective(const struct live_weights *weights, size_t type, bool decay);

#endif
