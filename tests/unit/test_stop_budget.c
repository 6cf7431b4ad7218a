/* SPDX-License-Identifier: MIT */
/* The bound on the share of stop time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "supervisor/engine/budget.h"

#define MS     UINT64_C(1000000)
#define PERIOD UINT64_C(250000)

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

/*
 * A thread that runs for @seconds and is stopped for 20 us each period, as far as that is
 * stretched: how many instants were given up.
 */
static unsigned run(
	struct budget *budget, unsigned seconds, uint64_t *ret_ran, uint64_t *ret_stopped)
{
	unsigned spent = 0;

	*ret_ran = *ret_stopped = 0;
	for (uint64_t unseen = 0; *ret_ran < seconds * 1000 * MS;) {
		uint64_t span = PERIOD * budget_factor(budget, PERIOD) / 1024;

		*ret_ran += span;
		unseen += span;
		if (budget_is_spent(budget)) {
			spent++;
			if (unseen < 10 * MS)
				continue; /* a sweep reads its CPU time */
			budget_earn(budget, unseen);
		} else {
			budget_earn(budget, unseen); /* in the stop */
			budget_spend(budget, 20000);
			*ret_stopped += 20000;
		}
		unseen = 0;
	}
	return spent;
}

/* 8 % is asked for and 5 % allowed: instants come evenly, 8/5 as far apart. None is given up. */
static void test_stop_budget__stretches_slots(void **state)
{
	struct budget budget = {.ppm = 50000};
	uint64_t ran, stopped;

	(void)state;
	assert_int_equal(budget_factor(&budget, PERIOD), 1024);
	(void)run(&budget, 1, &ran, &stopped);
	assert_in_range(stopped, 0, ran / 20 + 20000);
	assert_int_equal(run(&budget, 10, &ran, &stopped), 0);
	assert_in_range(stopped * 1000 / ran, 45, 50);
	assert_in_range(budget_factor(&budget, PERIOD), 1024 * 16 / 10, 1024 * 18 / 10);
}

/* A bound of little: the same. */
static void test_stop_budget__stretches_far(void **state)
{
	struct budget budget = {.ppm = 1000};
	uint64_t ran, stopped;

	(void)state;
	(void)run(&budget, 1, &ran, &stopped);
	assert_int_equal(run(&budget, 20, &ran, &stopped), 0);
	assert_in_range(stopped * 1000000 / ran, 900, 1000);
}

/* One stop that took long, beside other load, is paid back, and hardly changes the rate. */
static void test_stop_budget__one_long_stop(void **state)
{
	struct budget budget = {.ppm = 50000};
	uint64_t ran, stopped;

	(void)state;
	(void)run(&budget, 1, &ran, &stopped);
	budget_spend(&budget, 1000 * MS);
	assert_in_range(budget_factor(&budget, PERIOD), 1024 * 16 / 10, 1024 * 2);
	while (budget_is_spent(&budget))
		budget_earn(&budget, 10 * MS);
	(void)run(&budget, 1, &ran, &stopped);
	assert_in_range(budget_factor(&budget, PERIOD), 1024 * 16 / 10, 1024 * 18 / 10);
}

/* Stops that take less than may be stretch nothing, nor does a bound that is none. */
/* While the first stop lasts other programs have the CPUs. That is no reason to look seldom. */
static void test_stop_budget__a_long_first_stop_stretches_nothing(void **state)
{
	struct budget budget = {.ppm = 50000};

	(void)state;
	budget_earn(&budget, 1000 * MS);
	budget_spend(&budget, 3 * MS);
	assert_int_equal(budget_factor(&budget, MS), 1024);
	assert_false(budget_is_spent(&budget));
}

static void test_stop_budget__stretches_no_more_than_must_be(void **state)
{
	struct budget budget = {.ppm = 90000}, none = {0};
	uint64_t ran, stopped;

	(void)state;
	(void)run(&budget, 1, &ran, &stopped);
	assert_int_equal(run(&budget, 2, &ran, &stopped), 0);
	assert_int_equal(budget_factor(&budget, PERIOD), 1024);
	(void)run(&none, 1, &ran, &stopped);
	assert_int_equal(budget_factor(&none, PERIOD), 1024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stop_budget__a_long_stop_is_paid_back),
		cmocka_unit_test(test_stop_budget__little_is_saved_up),
		cmocka_unit_test(test_stop_budget__none_is_no_bound),
		cmocka_unit_test(test_stop_budget__stretches_slots),
		cmocka_unit_test(test_stop_budget__stretches_far),
		cmocka_unit_test(test_stop_budget__one_long_stop),
		cmocka_unit_test(test_stop_budget__a_long_first_stop_stretches_nothing),
		cmocka_unit_test(test_stop_budget__stretches_no_more_than_must_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
