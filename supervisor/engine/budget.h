/* SPDX-License-Identifier: MIT */
/*
 * --max-overhead: stop time that the target has earned by running, and that stops spend. As the
 * length of a stop and the period are known, slots are stretched to what the bound allows: samples
 * of equal weight tell more than many at first and then none for a while. What chance spends beyond
 * that ends the stops until more is earned.
 */
#ifndef SUPERVISOR_BUDGET_H
#define SUPERVISOR_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct budget {
	int64_t left_ns; /* negative: owed */
	int64_t mean_ns; /* of the last stops; 0: there was none */
	uint32_t ppm;    /* of its CPU time; 0: there is no bound */
};

/* The target has run for @ran_ns. */
void budget_earn(struct budget *budget, uint64_t ran_ns);
void budget_spend(struct budget *budget, uint64_t stop_ns);
/* No stop may be asked for now. */
bool budget_is_spent(const struct budget *budget);
/* By how much a period of @period_ns is to be stretched, of 1024, which is the least. */
uint64_t budget_factor(const struct budget *budget, uint64_t period_ns);

#endif
