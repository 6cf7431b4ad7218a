/* SPDX-License-Identifier: MIT */
/* The bound on the share of stop time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "supervisor/engine/budget.h"

#define MS UINT64_C(1000000)

static void test_stop_budget__a_long_stop_is_paid_back(void **state)
{
	struct budget budget = {.ppm = 50000};
	uint64_t ran = 0;

	(void)state;
	budget_earn(&budget, 100 * MS);
	assert_false(budget_is_spent(&budget));
	budget_spend(&budget, 550 * MS); /* beside other load */
	for (; budget_is_spent(&budget); ran += 10 * MS)
		budget_earn(&budget, 10 * MS);
	/* 550 ms are 5 % of 11 s, of which 100 ms had been run before. */
	assert_in_range(ran, 10900 * MS, 10920 * MS);
}

static void test_stop_budget__little_is_saved_up(void **state)
{
	struct budget budget = {.ppm = 20000};

	(void)state;
	for (unsigned i = 0; i < 1000; i++)
		budget_earn(&budget, 1000 * MS);
	budget_spend(&budget, 2 * MS);
	assert_true(budget_is_spent(&budget));
}

static void test_stop_budget__none_is_no_bound(void **state)
{
	struct budget budget = {0};

	(void)state;
	budget_spend(&budget, 1000000 * MS);
	assert_false(budget_is_spent(&budget));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stop_budget__a_long_stop_is_paid_back),
		cmocka_unit_test(test_stop_budget__little_is_saved_up),
		cmocka_unit_test(test_stop_budget__none_is_no_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
