/* SPDX-License-Identifier: MIT */
/*
 * Real-time priority of the tracing thread, and when it is given up: a thread of that class that
 * takes most of a CPU leaves hardly any of it to other programs.
 */
#ifndef SUPERVISOR_REALTIME_H
#define SUPERVISOR_REALTIME_H

#include <stdbool.h>
#include <stdint.h>

struct realtime {
	bool had;            /* it began with real-time priority */
	bool has;            /* and has it now */
	uint64_t checked_ns; /* CLOCK_MONOTONIC: when its CPU time was looked at, 0 not yet */
	uint64_t cpu_ns;     /* its CPU time then */
	unsigned much;       /* how often in a row that was too much */
};

/* Takes the priority for the calling thread, if that is @wanted and permitted. */
void realtime_begin(struct realtime *realtime, bool wanted);

/*
 * Gives the priority up, or takes it again, by the calling thread's CPU time. True: @has has
 * changed. To be called often; it mostly does nothing.
 */
bool realtime_watch(struct realtime *realtime, uint64_t now_ns);

#endif
