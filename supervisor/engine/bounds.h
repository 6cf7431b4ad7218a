/* SPDX-License-Identifier: MIT */
/* The cost of sampling, and the bounds --max-cost and --max-cpu, which stretch the period. */
#ifndef SUPERVISOR_BOUNDS_H
#define SUPERVISOR_BOUNDS_H

#include <stdint.h>

#include "supervisor/sample/cost.h"
#include "supervisor/sample/throttle.h"

struct engine;

struct bounds {
	struct cost cost;         /* CPU time that the target loses */
	struct throttle throttle; /* CPU time that the supervisor and the analyst use */
};

/* Call every few ms: sets the factor by which the sampler stretches the period. */
void bounds_keep(struct engine *engine, uint64_t now_ns);

#endif
