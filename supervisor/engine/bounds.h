/* SPDX-License-Identifier: MIT */
/*
 * What sampling costs the target, and the bounds of --max-cost and --max-cpu, which stretch the
 * period between instants.
 */
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

/* The target has run for @ran_ns of CPU time. */
void bounds_ran(struct engine *engine, uint64_t ran_ns);
/*
 * The supervisor occupied, for @lost_ns, a CPU on which a thread of the target had to wait. To be
 * called for each such time, whether or not a sample was taken.
 */
void bounds_lost(struct engine *engine, uint64_t lost_ns);
/*
 * A thread was uninterrupted between two stops that lie @apart_ns of wall time apart. It did not
 * run for @lost_ns of that. Such a figure is exact: it contains all waits and context switches.
 */
void bounds_uninterrupted(struct engine *engine, uint64_t lost_ns, uint64_t apart_ns);

/* Call every few ms: sets the factor by which the sampler stretches the period. */
void bounds_keep(struct engine *engine, uint64_t now_ns);

#endif
