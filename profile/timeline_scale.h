/* SPDX-License-Identifier: MIT */
/*
 * The value of each instant, for a value type: a stack's value is distributed over its instants by
 * weight. "cpu", "runqueue" and "blocked" are each distributed over the instants of one state. The
 * "wall" of an instant is its part of the one of these three values that belongs to its state. Any
 * other value is distributed over all instants. The number of samples is distributed equally.
 */
#ifndef PROFILE_TIMELINE_SCALE_H
#define PROFILE_TIMELINE_SCALE_H

#include "profile/timeline.h"

struct timeline_scale {
	double (*factor)[TIMELINE_STATES]; /* factors by stack and state */
	bool counted;                      /* all instants of a stack have the same value */
};

/* @value: an index of profile_value_type(). 0 or -ENOMEM. */
int timeline_scale_init(struct timeline_scale *scale, const struct profile *profile, size_t value);
void timeline_scale_release(struct timeline_scale *scale);

static inline double timeline_scale_of(
	const struct timeline_scale *scale, const struct instant *instant)
{
	double factor = scale->factor[instant->sample][instant->state];

	return scale->counted ? factor : factor * (double)instant->weight_ns;
}

#endif
