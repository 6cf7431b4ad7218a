/* SPDX-License-Identifier: MIT */
/* Which thread had the CPU until the CPU's waiter preempted it? Reads through the probe only. */
#ifndef SUPERVISOR_OBSERVE_H
#define SUPERVISOR_OBSERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/sample/sampler.h"

/*
 * What was read at an instant. The caller sets @s and @instant, and sets @weight_1024 to PLAN_ONE.
 */
struct observation {
	struct sampler *s;
	const struct sample_instant *instant;
	uint64_t weight_1024; /* the inverse of the probability that this thread was asked */
	/* the thread is still in the system call in which an earlier instant requested its stop */
	bool stopping;
	struct activity activity;
};

/*
 * Returns the thread of the target that was preempted, or that fell asleep, whereupon the waiter
 * got the CPU. NULL: no thread of the target.
 */
struct sample_thread *observe(struct observation *observation);

#endif
