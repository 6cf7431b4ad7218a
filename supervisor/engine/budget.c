/* SPDX-License-Identifier: MIT */
#include "supervisor/engine/budget.h"

/* Stop time that may be saved up, as CPU time of the target that earns it. */
#define SPAN_NS 100000000

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
	budget->left_ns -= (int64_t)stop_ns;
}

bool budget_is_spent(const struct budget *budget)
{
	return budget->ppm && budget->left_ns <= 0;
}
