/* SPDX-License-Identifier: MIT */
/*
 * --max-overhead: the target earns stop time by running, and stops spend it. The mean duration of a
 * stop and the period are known, so slots are stretched as the bound requires: samples of equal
 * weight say more than many at first and then none for a while. When random variation overspends,
 * stops cease until more is earned.
 */
#ifndef SUPERVISOR_BUDGET_H
#define SUPERVISOR_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct budget {
	int64_t left_ns; /* negative: owed */
	int64_t mean_ns; /* moving mean of a stop; 0: no stop yet */
	uint32_t ppm;    /* of the target's CPU time; 0: no bound */
};

/* The target has run for @ran_ns. */
void budget_earn(struct budget *budget, uint64_t ran_ns);
void budget_spend(struct budget *budget, uint64_t stop_ns);
/* Must stops cease for now? */
bool budget_is_spent(const struct budget *budget);
/* The factor by which to stretch a period of @period_ns, in 1/1024; at least 1024. */
uint64_t budget_factor(const struct budget *budget, uint64_t period_ns);

#endif
