/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/budget.h"

/* Upper bound of the stop time that can be saved up, as the CPU time that earns it. */
#define SPAN_NS 100000000
/* The usual duration of a stop. The first one says little, because it may have had to wait. */
#define USUAL_NS 20000
/* A stop moves the mean by this part of the difference; a stop counts at most this many means. */
#define MEAN_PART 32
#define MEAN_MOST 4
/* Slots are stretched so that stops use this share of the bound, which leaves some saved up. */
#define AIM 15 / 16
#define ONE 1024

void budget_earn(struct budget *budget, uint64_t ran_ns)
{
	int64_t ppm = budget->ppm, most = SPAN_NS / 1000000 * ppm;

	if (ran_ns > SPAN_NS)
		ran_ns = SPAN_NS;
	budget->left_ns += (int64_t)ran_ns * ppm / 1000000;
	if (budget->left_ns > most)
		budget->left_ns = most;
}

void budget_spend(struct budget *budget, uint64_t stop_ns)
{
	int64_t stop = (int64_t)stop_ns;
	int64_t mean = budget->mean_ns ? budget->mean_ns : USUAL_NS;

	budget->left_ns -= stop;
	if (stop > MEAN_MOST * mean)
		stop = MEAN_MOST * mean;
	budget->mean_ns = mean + (stop - mean) / MEAN_PART;
}

bool budget_is_spent(const struct budget *budget)
{
	return budget->ppm && budget->left_ns <= 0;
}

uint64_t budget_factor(const struct budget *budget, uint64_t period_ns)
{
	uint64_t may = period_ns * budget->ppm / 1000000 * AIM;
	uint64_t factor = may ? ONE * (uint64_t)budget->mean_ns / may : ONE;

	return factor > ONE ? factor : ONE;
}
