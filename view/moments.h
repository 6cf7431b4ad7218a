/* SPDX-License-Identifier: MIT */
/*
 * The instants of a profile's time line, each with its part of the weight of its stack (a sample of
 * the profile). The parts of a stack add up exactly to its weight.
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
 * Returns 1; 0 if the profile has no time line; or -ENOMEM. Stacks excluded by the options, or
 * without weight, have no moments. A stack without an instant has a moment at the end of the time
 * line.
 */
int moments_init(struct moments *moments, const struct frames *frames, enum moments_order order);
void moments_release(struct moments *moments);

#endif
