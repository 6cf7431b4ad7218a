/* SPDX-License-Identifier: MIT */
/*
 * The value of each instant, for a value type of its profile: its part, by weight, of the stack's
 * value. CPU time consists of ticks, "runqueue" and "blocked" of waiting instants, "wall" of all
 * three; any other value is distributed over all of a stack's instants. Samples are counted.
 */
#ifndef PROFILE_TIMELINE_SCALE_H
#define PROFILE_TIMELINE_SCALE_H

#include "profile/timeline.h"

struct timeline_scale {
	double (*factor)[TIMELINE_STATES]; /* factors by stack and state */
	bool counted;                      /* all instants of a stack have the same value */
};

/* Computes the factors. @value is an index of profile_value_type(). -ENOMEM. */
int timeline_scale_init(struct timeline_scale *scale, const struct profile *profile, size_t value);
void timeline_scale_release(struct timeline_scale *scale);

static inline double timeline_scale_of(
	const struct timeline_scale *scale, const struct instant *instant)
{
	double factor = scale->factor[instant->sample][instant->state];

	return scale->counted ? factor : factor * (double)instant->weight_ns;
}

#endif
