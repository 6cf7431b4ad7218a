/* SPDX-License-Identifier: MIT */
/*
 * What each instant is worth by a kind of values of its profile: its part, by weight, of what its
 * stack has of that. CPU time is that of ticks, "runqueue" and "blocked" of instants that waited,
 * "wall" of all three; any other kind is shared out over all of a stack's instants. Samples are
 * counted.
 */
#ifndef PROFILE_TIMELINE_SCALE_H
#define PROFILE_TIMELINE_SCALE_H

#include "profile/timeline.h"

struct timeline_scale {
	double (*factor)[TIMELINE_STATES]; /* by stack */
	bool counted;                      /* every instant of a stack is worth the same */
};

/* -ENOMEM. @value is an index of profile_value_type(). */
int timeline_scale_init(struct timeline_scale *scale, const struct profile *profile, size_t value);
void timeline_scale_release(struct timeline_scale *scale);

static inline double timeline_scale_of(
	const struct timeline_scale *scale, const struct instant *instant)
{
	double factor = scale->factor[instant->sample][instant->state];

	return scale->counted ? factor : factor * (double)instant->weight_ns;
}

#endif
