/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SIMULATOR_PROGRAMS_H
#define TESTS_SIMULATOR_PROGRAMS_H

#include "tests/unit/supervisor/simulator.h"

struct scenario {
	const char *name;
	void (*begin)(struct sim *sim);
	unsigned places;
	unsigned cpus; /* on how many CPUs it is run; 0: any */
	/* why results are known to be wrong, even with real-time priority; NULL: they are right */
	const char *bias;
	/* why results are wrong in the fair class only; with slow interrupts only */
	const char *fair_bias, *slow_bias;
};

extern const struct scenario scenarios[];
extern const size_t scenarios_n;

/* Each seed in the options gives another program. */
void scenario_random(struct sim *sim);
#define SCENARIO_RANDOM_PLACES 9

#endif
