/* SPDX-License-Identifier: MIT */
/*
 * Three phases of 400 ms of CPU time each, and a stall of 200 ms in the middle of the second:
 *
 *   load  work  (nothing)  work  store
 *
 * An argument is the CPU time of a phase in ms, instead of 400.
 */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "tests/clock.h"

static volatile uint64_t sink;

/* A phase computes in its own function without calls, so that its samples have its name. */
#define PHASE(name, step)                                                    \
	static __attribute__((noinline)) void name(uint64_t ns)              \
	{                                                                    \
		for (uint64_t end = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + ns; \
			clock_ns(CLOCK_PROCESS_CPUTIME_ID) < end;) {         \
			for (unsigned i = 0; i < 100000; i++)                \
				sink = sink * (step) + i;                    \
		}                                                            \
	}

PHASE(load, 3)
PHASE(work, 5)
PHASE(store, 7)

int main(int argc, char **argv)
{
	const struct timespec stall = {.tv_nsec = 200000000};
	uint64_t phase_ns = (uint64_t)(argc > 1 ? atoi(argv[1]) : 400) * 1000000;

	load(phase_ns);
	work(phase_ns / 2);
	(void)nanosleep(&stall, NULL);
	work(phase_ns / 2);
	store(phase_ns);
	return 0;
}
