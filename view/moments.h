/* SPDX-License-Identifier: MIT */
/*
 * Moments: the instants of a profile's time line, each with a weight. A sample of the profile is a
 * stack with its value. The value is divided among the stack's instants, so the weights of its
 * moments add up exactly to it.
 */
#ifndef VIEW_MOMENTS_H
#define VIEW_MOMENTS_H

#include "view/frames.h"

struct moment {
	uint64_t time_ns; /* since the beginning of the profile */
	int64_t weight;
	uint32_t sample; /* index in the profile */
	uint32_t task;   /* index in the profile */
};

struct moments {
	struct moment *moment;
	size_t n, room;
	uint64_t from_ns, to_ns; /* extent of the time line */
	/* only MOMENTS_BY_TASK: by task, index of its first moment; the last element is @n */
	size_t *first;
};

enum moments_order { MOMENTS_BY_TIME, MOMENTS_BY_TASK };

/*
 * Returns 1; 0 if the profile has no time line; or -ENOMEM. A stack has no moments if the options
 * exclude it, or if its value is not positive. The part of its value that no instant has becomes a
 * moment at the end of the time line, so that no weight is lost.
 */
int moments_init(struct moments *moments, const struct frames *frames, enum moments_order order);
void moments_release(struct moments *moments);

#endif
