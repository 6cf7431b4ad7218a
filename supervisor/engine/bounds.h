/* SPDX-License-Identifier: MIT */
/* The bounds of --max-overhead and --max-cpu, which stretch the period between instants. */
#ifndef SUPERVISOR_BOUNDS_H
#define SUPERVISOR_BOUNDS_H

#include <stdint.h>

#include "supervisor/engine/budget.h"
#include "supervisor/sample/throttle.h"

struct engine;

struct bounds {
	struct budget budget;     /* the target's stop time */
	struct throttle throttle; /* our own CPU time */
};

/* Call every few ms: sets the factor by which the sampler stretches the period. */
void bounds_keep(struct engine *engine, uint64_t now_ns);

#endif
