/* SPDX-License-Identifier: MIT */
/*
 * How much rarer ticks are than was asked for, so that our own CPU time keeps within a bound
 * (--max-cpu). A tick costs what a wake-up does, and that is 3 us on one machine and 60 on another.
 * Pure arithmetic.
 */
#ifndef SUPERVISOR_PACE_H
#define SUPERVISOR_PACE_H

#include <stdbool.h>
#include <stdint.h>

#define PACE_ONE UINT64_C(1024)
/* Half as often as asked at least. */
#define PACE_MOST (2 * PACE_ONE)

struct pace {
	uint64_t factor; /* of PACE_ONE: the time between ticks, against the one asked for */
	/* The last reading: CLOCK_MONOTONIC, and CPU time of ours and of the analyst's. */
	uint64_t at_ns, cpu_ns, analyst_ns;
};

void pace_init(struct pace *pace);

/* Is a reading due? The first one is the beginning: what it cost to attach does not count. */
bool pace_is_due(const struct pace *pace, uint64_t now_ns);

/*
 * We have used @cpu_ns up to now, the analyst @analyst_ns, and @bound_ppm millionths of the time is
 * the bound for both, above 0. Of the analyst's no more than a fifth of the bound counts: what it
 * does once, as to read symbols, is no reason to sample less. Returns the time since the last
 * reading if ticks were rarer in it than asked, else 0.
 */
uint64_t pace_see(struct pace *pace, uint64_t now_ns, uint64_t cpu_ns, uint64_t analyst_ns,
	uint64_t bound_ppm);

#endif
