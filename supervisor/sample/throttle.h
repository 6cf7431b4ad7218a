/* SPDX-License-Identifier: MIT */
/*
 * The throttle of --max-cpu stretches the period so that the profiler's own CPU time keeps within a
 * bound. Each instant costs a wake-up of the supervisor. Depending on the machine a wake-up takes 3
 * to 60 us, so the period is adjusted to the CPU time measured. Pure arithmetic.
 */
#ifndef SUPERVISOR_THROTTLE_H
#define SUPERVISOR_THROTTLE_H

#include <stdbool.h>
#include <stdint.h>

#define THROTTLE_ONE UINT64_C(1024)
/* The rate never drops below half of the requested one. */
#define THROTTLE_MOST (2 * THROTTLE_ONE)

struct throttle {
	uint64_t factor; /* the period in force divided by the requested one, times THROTTLE_ONE */
	/* The last reading: when (CLOCK_MONOTONIC), the CPU time of supervisor and analyst. */
	uint64_t at_ns, cpu_ns, analyst_ns;
};

void throttle_init(struct throttle *throttle);

/* Is a reading due? The first one is the base line, so the cost of attaching does not count. */
bool throttle_is_due(const struct throttle *throttle, uint64_t now_ns);

/*
 * Takes a reading of the CPU time used so far. @bound_ppm is the most that supervisor and analyst
 * together may use, in millionths of the elapsed time; it is above 0. Of the analyst's CPU time, at
 * most a fifth of the bound counts: one-time work such as reading symbols is no reason to sample
 * less. Returns the time since the last reading, in ns, if the period was notably stretched
 * meanwhile, else 0.
 */
uint64_t throttle_see(struct throttle *throttle, uint64_t now_ns, uint64_t cpu_ns,
	uint64_t analyst_ns, uint64_t bound_ppm);

#endif
