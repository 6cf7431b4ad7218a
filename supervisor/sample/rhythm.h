/* SPDX-License-Identifier: MIT */
/*
 * When a thread that sleeps is likely to wake. Pure arithmetic.
 *
 * A thread that waits for a time wakes in a rhythm; one of a pool sleeps for about as long as the
 * last time, since they take turns. When a thread woke is known only as well as it was looked at:
 * some time between two readings. What was expected stays as long as nothing that is seen
 * contradicts it; so the expectation becomes much more exact than the readings are dense.
 */
#ifndef SUPERVISOR_RHYTHM_H
#define SUPERVISOR_RHYTHM_H

#include <stdbool.h>
#include <stdint.h>

struct rhythm {
	uint64_t wake_ns;  /* CLOCK_MONOTONIC, of the last waking that was in time; 0: none was seen
			    */
	uint64_t cycle_ns; /* from one to the next; 0 unknown */
	uint64_t last_ns;  /* of the last waking, in time or not */
	unsigned unsure;   /* wakings since one confirmed the cycle */
};

/* It woke at some time from @from_ns to @to_ns. */
void rhythm_woke(struct rhythm *rhythm, uint64_t from_ns, uint64_t to_ns);

/* Is there a cycle that was confirmed lately? Else the next wakings should be looked at closely. */
bool rhythm_is_known(const struct rhythm *rhythm);

/* When it is likely to wake again, as it was seen last; 0 unknown. */
uint64_t rhythm_next(const struct rhythm *rhythm);

#endif
