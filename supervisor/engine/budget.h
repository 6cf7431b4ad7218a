/* SPDX-License-Identifier: MIT */
/* --max-overhead: stop time that the target has earned by running, and that stops spend. */
#ifndef SUPERVISOR_BUDGET_H
#define SUPERVISOR_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct budget {
	int64_t left_ns; /* negative: owed */
	uint32_t ppm;    /* of its CPU time; 0: there is no bound */
};

/* The target has run for @ran_ns. */
void budget_earn(struct budget *budget, uint64_t ran_ns);
void budget_spend(struct budget *budget, uint64_t stop_ns);
/* No stop may be asked for now. */
bool budget_is_spent(const struct budget *budget);

#endif
