/* SPDX-License-Identifier: MIT */
/* Which thread was on the CPU until its waiter preempted it? By the probe alone (probe.h). */
#ifndef SUPERVISOR_OBSERVE_H
#define SUPERVISOR_OBSERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/sample/sampler_state.h"

/* The number of threads, of the last hits, that are asked at each instant. */
#define RECENT_MOST 16

/* What was read at an instant. The caller fills in @s and @instant, and sets @weight_1024. */
struct observation {
	struct sampler *s;
	const struct sample_instant *instant;
	uint64_t weight_1024; /* the inverse of the probability that this thread was asked */
	bool stopping;        /* the thread is to stop since an earlier instant, and in a call */
	struct activity activity;
};

/* The thread that was preempted, or fell asleep and so let us in. NULL: none of the target. */
struct sample_thread *observe(struct observation *observation);

#endif
