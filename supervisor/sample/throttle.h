/* SPDX-License-Identifier: MIT */
/*
 * The throttle of --max-cpu: by how much the period between instants is stretched, so that the
 * profiler's own CPU time keeps within a bound. A tick costs what a wake-up of the supervisor does,
 * and that is 3 us on one machine and 60 on another. Pure arithmetic.
 */
#ifndef SUPERVISOR_THROTTLE_H
#define SUPERVISOR_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

#define THROTTLE_ONE UINT64_C(1024)
/* Ticks are half as often as asked at least. */
#define THROTTLE_MOST (2 * THROTTLE_ONE)

struct throttle {
	uint64_t factor; /* of THROTTLE_ONE: the period in force, against the one asked for */
	/* The last reading: CLOCK_MONOTONIC, CPU time of the supervisor and of the analyst. */
	uint64_t at_ns, cpu_ns, analyst_ns;
};

void throttle_init(struct throttle *throttle);

/* Is a reading due? The first one is the beginning: what it cost to attach does not count. */
bool throttle_is_due(const struct throttle *throttle, uint64_t now_ns);

/*
 * The supervisor has used @cpu_ns up to now and the analyst @analyst_ns. The bound for both is
 * @bound_ppm millionths of the time, above 0. Of the analyst's CPU time no more than a fifth of the
 * bound counts: work that it does once, such as reading symbols, is no reason to sample less.
 * Returns the time since the last reading if the period was stretched in it, else 0.
 */
uint64_t throttle_see(struct throttle *throttle, uint64_t now_ns, uint64_t cpu_ns,
	uint64_t analyst_ns, uint64_t bound_ppm);

#endif
