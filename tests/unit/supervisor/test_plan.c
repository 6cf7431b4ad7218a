/* SPDX-License-Identifier: MIT */
/* Limits are quantiles that a right plan exceeds for a seed in a million. Seeds are fixed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "supervisor/sample/plan.h"

#define MS UINT64_C(1000000)
/* Chi-square's quantiles at 1e-6. */
#define CHI2_19 64.4
#define CHI2_99 180.2

static struct plan begun(unsigned stream, uint64_t period_ns, uint64_t seed)
{
	struct plan plan;

	plan_init(&plan, seed);
	plan_set_period(&plan, stream, period_ns, 0);
	return plan;
}

static uint64_t take(struct plan *plan, struct plan_due *ret_due)
{
	uint64_t at = plan_next(plan);

	plan_take(plan, at, ret_due);
	return at;
}

static double chi_square(const unsigned *count, size_t n, double expected)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (count[i] - expected) * (count[i] - expected) / expected;
	return sum;
}

static void test_plan__random_numbers_are_uniform_and_below_the_bound(void **state)
{
	enum { DRAWS = 40000, BINS = 20 };
	struct plan_random random;
	unsigned count[BINS] = {0};

	(void)state;
	plan_seed(&random, 0); /* a state of 0 would stay 0 */
	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t x = plan_random(&random, BINS);

		assert_in_range(x, 0, BINS - 1);
		count[x]++;
	}
	assert_true(chi_square(count, BINS, DRAWS / (double)BINS) < CHI2_19);
}

/*
 * Intervals between instants fall into 20 bins of equal probability, with bounds at -ln(1 - i / 20)
 * periods. Consecutive intervals are independent.
 */
static void check_gaps(unsigned stream)
{
	enum { DRAWS = 40000, BINS = 20, SIDE = 10 };
	static const double bound[BINS - 1] = {0.051293, 0.105361, 0.162519, 0.223144, 0.287682,
		0.356675, 0.430783, 0.510826, 0.597837, 0.693147, 0.798508, 0.916291, 1.049822,
		1.203973, 1.386294, 1.609438, 1.897120, 2.302585, 2.995732};
	struct plan plan = begun(stream, MS, 7);
	unsigned count[BINS] = {0}, pair[SIDE * SIDE] = {0}, before = 0;
	uint64_t last = 0;
	struct plan_due due;

	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t at = take(&plan, &due);
		double gap = (double)(at - last) / MS;
		unsigned bin = 0;

		assert_int_equal(due.streams, 1U << stream);
		assert_int_equal(due.weight_ns[stream], MS);
		while (bin < BINS - 1 && gap >= bound[bin])
			bin++;
		count[bin]++;
		pair[before / 2 * SIDE + bin / 2] += i > 0;
		before = bin;
		last = at;
	}
	assert_true(chi_square(count, BINS, DRAWS / (double)BINS) < CHI2_19);
	assert_true(chi_square(pair, SIDE * SIDE, DRAWS / (double)(SIDE * SIDE)) < CHI2_99);
}

static void test_plan__gaps_are_exponential_and_independent(void **state)
{
	(void)state;
	check_gaps(0);
	check_gaps(2);
}

/* All instants before a late wake-up count: the thread was in one system call. */
static void test_plan__instants_that_passed_before_the_wake_up_are_due(void **state)
{
	struct plan plan = begun(0, MS, 3);
	uint64_t sum = 0;

	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		uint64_t at = plan_next(&plan);
		struct plan_due due;

		plan_take(&plan, at + MS / 4, &due);
		assert_true(plan_next(&plan) > at + MS / 4);
		sum += due.weight_ns[0];
	}
	/* 4.9 standard deviations of the Poisson number of weights, a quarter of a period each. */
	assert_in_range(sum / MS, 2500 - 110, 2500 + 110);
}

/* Each piece of code between two observations is sampled in proportion to its length. */
static void test_plan__instants_that_fall_into_our_work_are_dropped_without_a_bias(void **state)
{
	enum { SAMPLES = 20000 };
	struct plan plan = begun(0, MS, 5);
	uint64_t ran = 0, now = 0, found = 0;
	struct plan_due due;

	(void)state;
	for (unsigned i = 0; i < SAMPLES; i++) {
		uint64_t at = take(&plan, &due);

		ran += at - now;
		found += due.weight_ns[0];
		now = at + MS / 3; /* the supervisor worked */
		plan_drop(&plan, now);
		assert_true(plan_next(&plan) > now);
	}
	/* 4.9 standard deviations of a Poisson number of SAMPLES. */
	assert_in_range(found / MS, ran / MS - 693, ran / MS + 693);
}

static void test_plan__factors_make_gaps_longer_and_weights_larger(void **state)
{
	struct plan plan = begun(0, MS, 11);
	struct plan_due due;
	uint64_t at;

	(void)state;
	plan_set_period(&plan, 1, 10 * MS, 0);
	/* The current interval stays, as its weight was fixed with it. */
	at = plan.stream[0].next_ns;
	plan_set_factors(&plan, 2 * PLAN_ONE, 4 * PLAN_ONE, 0);
	assert_int_equal(plan.stream[0].next_ns, at);
	assert_int_equal(plan.stream[0].span_ns, MS);
	plan_take(&plan, 100 * MS, &due);
	assert_int_equal(plan.stream[0].span_ns, 8 * MS);
	assert_int_equal(plan.stream[1].span_ns, 20 * MS); /* no bound applies to tables */
	/* A shorter period applies at once. */
	plan_set_factors(&plan, PLAN_ONE, PLAN_ONE, 100 * MS);
	assert_int_equal(plan.stream[0].span_ns, MS);
	assert_int_equal(plan.stream[1].span_ns, 10 * MS);
	assert_true(plan.stream[1].next_ns >= 100 * MS);
}

static void test_plan__a_stream_begins_changes_and_ends(void **state)
{
	struct plan plan = begun(0, 0, 1);

	(void)state;
	assert_true(plan_next(&plan) == PLAN_NEVER);
	plan_set_period(&plan, 3, MS, 50 * MS);
	assert_true(plan_next(&plan) >= 50 * MS && plan_next(&plan) < PLAN_NEVER);
	assert_int_equal(plan.stream[3].span_ns, MS);
	plan_set_period(&plan, 3, 7 * MS, 50 * MS);
	assert_true(plan_next(&plan) >= 50 * MS && plan_next(&plan) < PLAN_NEVER);
	assert_int_equal(plan.stream[3].span_ns, 7 * MS);
	plan_set_period(&plan, 0, 1000 * MS, 50 * MS);
	assert_true(plan.stream[0].next_ns > 50 * MS);
	plan_set_period(&plan, 0, 0, 50 * MS);
	plan_set_period(&plan, 3, 0, 50 * MS);
	assert_true(plan_next(&plan) == PLAN_NEVER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plan__random_numbers_are_uniform_and_below_the_bound),
		cmocka_unit_test(test_plan__gaps_are_exponential_and_independent),
		cmocka_unit_test(test_plan__instants_that_passed_before_the_wake_up_are_due),
		cmocka_unit_test(
			test_plan__instants_that_fall_into_our_work_are_dropped_without_a_bias),
		cmocka_unit_test(test_plan__factors_make_gaps_longer_and_weights_larger),
		cmocka_unit_test(test_plan__a_stream_begins_changes_and_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
