/* SPDX-License-Identifier: MIT */
/*
 * The samples of an export one by one, in the order of time, each with its part of its stack's
 * weight: the parts of a stack add up exactly.
 */
#ifndef VIEW_MOMENTS_H
#define VIEW_MOMENTS_H

#include "view/frames.h"

struct moment {
	uint64_t time_ns; /* time since the beginning of the profile */
	int64_t weight;
	uint32_t sample;
	uint32_t task;
};

struct moments {
	struct moment *moment;
	size_t n, room;
	uint64_t from_ns, to_ns; /* the extent of the time line */
	size_t *first;           /* by task, and one more, for MOMENTS_BY_TASK */
};

enum moments_order { MOMENTS_BY_TIME, MOMENTS_BY_TASK };

/*
 * Distributes the stacks over time. 1: filled; 0: the profile has no time line; -ENOMEM. Stacks
 * excluded by the options, or without weight, have no moments; stacks with a weight but no instant
 * (time without a sample) have one, at the end.
 */
int moments_init(struct moments *moments, const struct frames *frames, enum moments_order order);
void moments_release(struct moments *moments);

#endif
