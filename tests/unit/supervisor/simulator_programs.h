/* SPDX-License-Identifier: MIT */
/* Programs for the simulator, of which the truth is known. */
#ifndef TESTS_SIMULATOR_PROGRAMS_H
#define TESTS_SIMULATOR_PROGRAMS_H

#include "tests/unit/supervisor/simulator.h"

struct scenario {
	const char *name;
	void (*begin)(struct sim *sim);
	unsigned places;
	unsigned cpus; /* number of CPUs on which it is run; 0: any */
	/*
	 * the reason for which results are known to be wrong, in real time too; NULL: they are
	 * right
	 */
	const char *bias;
	/* likewise, in the fair class only, and where interrupts are slow */
	const char *fair_bias, *slow_bias;
};

extern const struct scenario scenarios[];
extern const size_t scenarios_n;

/* Another program for each seed of the options. */
void scenario_random(struct sim *sim);
#define SCENARIO_RANDOM_PLACES 9

#endif
