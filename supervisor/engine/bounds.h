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

/* To be called every few ms: tells the sampler by how much to stretch the period. */
void bounds_keep(struct engine *engine, uint64_t now_ns);

#endif
