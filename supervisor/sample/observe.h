/* SPDX-License-Identifier: MIT */
/* Which thread had the CPU until the CPU's waiter preempted it? Reads through the probe only. */
#ifndef SUPERVISOR_OBSERVE_H
#define SUPERVISOR_OBSERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/sample/sampler.h"

/* What was read at an instant. The caller sets @s, @instant and @weight_1024 (to PLAN_ONE). */
struct observation {
	struct sampler *s;
	const struct sample_instant *instant;
	uint64_t weight_1024; /* the inverse of the probability that the thread found was asked */
	/* the thread is still in the system call of an earlier hit, whose stop has not come yet */
	bool stopping;
	struct activity activity;
};

/* Returns the target's thread that the waiter preempted, or that just fell asleep; NULL: none. */
struct sample_thread *observe(struct observation *observation);

#endif
