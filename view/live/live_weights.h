/* SPDX-License-Identifier: MIT */
/*
 * The weights of a growing profile's stacks: summed up since the last reset; and decayed, so that
 * the present counts most. CPU values of the profile are the weights that were planned for samples.
 * A factor per stack converts them to time. Other values are used as they are.
 *
 * Decayed weights are not reduced as time passes: instead, new samples are added with a weight that
 * grows with time, and readers multiply by a scale. So an update changes only the stacks with new
 * samples.
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
	/*
	 * @origin_ns: when the scale was 1. @now_ns: the last update. @reset_ns: the last reset, or
	 * the beginning.
	 */
	uint64_t origin_ns, now_ns, reset_ns;
	bool begun; /* live_weights_begin() was called */
	/* By type: the sum of the samples' weights since the reset, and of their squares. */
	double total[VALUE_TYPES_MAX], total_squares[VALUE_TYPES_MAX];
	/* By type: the sum of the samples' decayed weights, and of their squares; not yet scaled.
	 */
	double recent[VALUE_TYPES_MAX], recent_squares[VALUE_TYPES_MAX];
	float *factor; /* by stack: ns of CPU time per CPU value; 1 from index @factors on */
	size_t factors, factor_room;
	/*
	 * Sums over all stacks of the CPU value times the factor: since the reset; decayed, not yet
	 * scaled.
	 */
	double total_ns, recent_ns;
	uint32_t *last; /* by task: 1 + the last stack with a sample; 0: none */
	/*
	 * By task: CPU time by the kernel at the last update, UINT64_MAX if unknown; and at the
	 * last reset.
	 */
	uint64_t *used_ns, *used_before_ns;
	size_t tasks, last_room, used_room, before_room;
};

void live_weights_init(struct live_weights *weights, double half_life_ns);
void live_weights_release(struct live_weights *weights);

/* The weights of the first update will be those since @begun_ns. */
void live_weights_begin(struct live_weights *weights, uint64_t begun_ns);

/*
 * Adds what the stacks have gained since the last call, as if at a constant rate, and copies the
 * factors. 0 or -ENOMEM.
 */
int live_weights_update(struct live_weights *weights, const struct profile *profile,
	const float *factor, size_t factors, uint64_t now_ns);
void live_weights_reset(struct live_weights *weights);

/*
 * Returns the scale: the factor by which a stored decayed weight is multiplied to get its present
 * value.
 */
double live_weights_scale(const struct live_weights *weights);
/*
 * Returns the factor that converts a scaled decayed sum to a rate (per ns). A constant rate since
 * the reset is converted exactly.
 */
double live_weights_per_ns(const struct live_weights *weights);

/*
 * Returns a stack's weight since the reset or, with @decay, its decayed weight, which the caller
 * multiplies by the scale.
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

/* Gets the CPU time in ns that the kernel charged to a task since the reset. False: unknown. */
bool live_weights_used(const struct live_weights *weights, size_t task, double *ret_ns);

/*
 * live_weights_sum() returns the sum of all stacks' weights; with @decay, of the decayed, scaled
 * weights. live_weights_effective() returns that sum's effective sample size (stats.h).
 */
double live_weights_sum(const struct live_weights *weights, size_t type, bool decay);
double live_weights_effective(const struct live_weights *weights, size_t type, bool decay);

#endif
