/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "supervisor/sample/throttle.h"

#define SECOND    UINT64_C(1000000000)
#define BOUND_PPM 25000

/* Ticks use @tick_ppm of a CPU at full rate, other work @fixed_ppm. Returns the time yielded. */
static uint64_t run(struct throttle *throttle, unsigned halves, uint64_t tick_ppm,
	uint64_t fixed_ppm, uint64_t *cpu_ns)
{
	uint64_t yielded = 0;

	for (unsigned i = 0; i < halves; i++) {
		uint64_t now = throttle->at_ns + SECOND / 2,
			 ppm = tick_ppm * THROTTLE_ONE / throttle->factor + fixed_ppm;

		assert_false(throttle_is_due(throttle, now - 1));
		assert_true(throttle_is_due(throttle, now));
		*cpu_ns += ppm * (SECOND / 2) / 1000000;
		yielded += throttle_see(throttle, now, *cpu_ns, 0, BOUND_PPM);
		assert_in_range(throttle->factor, THROTTLE_ONE, THROTTLE_MOST);
	}
	return yielded;
}

static struct throttle begun(uint64_t *cpu_ns)
{
	struct throttle throttle;

	throttle_init(&throttle);
	/* CPU time before the first reading, for attaching, does not count. */
	*cpu_ns = SECOND;
	assert_true(throttle_is_due(&throttle, 100 * SECOND));
	assert_int_equal(throttle_see(&throttle, 100 * SECOND, *cpu_ns, 0, BOUND_PPM), 0);
	assert_int_equal(throttle.factor, THROTTLE_ONE);
	return throttle;
}

static void test_throttle__within_the_bound_ticks_come_as_asked(void **state)
{
	uint64_t cpu;
	struct throttle throttle = begun(&cpu);

	(void)state;
	assert_int_equal(run(&throttle, 20, 20000, 4000, &cpu), 0);
	assert_int_equal(throttle.factor, THROTTLE_ONE);
}

static void test_throttle__above_it_they_are_as_much_rarer_as_needed(void **state)
{
	uint64_t cpu, before;
	struct throttle throttle = begun(&cpu);

	(void)state;
	assert_in_range(run(&throttle, 20, 30000, 3000, &cpu), 9 * SECOND, 10 * SECOND);
	before = cpu;
	(void)run(&throttle, 20, 30000, 3000, &cpu);
	assert_in_range((cpu - before) / 10, SECOND / 1000000 * 24800, SECOND / 1000000 * 25200);
	/* The requested rate returns when it is within the bound. */
	(void)run(&throttle, 20, 15000, 3000, &cpu);
	assert_int_equal(throttle.factor, THROTTLE_ONE);
}

static void test_throttle__never_rarer_than_half(void **state)
{
	uint64_t cpu;
	struct throttle throttle = begun(&cpu);

	(void)state;
	assert_in_range(run(&throttle, 20, 300000, 0, &cpu), 9 * SECOND, 10 * SECOND);
	assert_int_equal(throttle.factor, THROTTLE_MOST);
}

static void test_throttle__the_analyst_counts_for_a_fifth_at_most(void **state)
{
	uint64_t cpu, analyst = 5 * SECOND, now = 100 * SECOND;
	struct throttle throttle = begun(&cpu);

	(void)state;
	/*
	 * 22,000 ppm of the supervisor and 4,000 of the analyst exceed 25,000; with 19,000 ppm of
	 * the supervisor, any use of the analyst is permitted.
	 */
	for (unsigned i = 0; i < 20; i++) {
		now += SECOND / 2;
		cpu += SECOND / 2000000 * 22000 * THROTTLE_ONE / throttle.factor;
		analyst += SECOND / 2000000 * 4000;
		(void)throttle_see(&throttle, now, cpu, analyst, BOUND_PPM);
	}
	assert_in_range(throttle.factor, THROTTLE_ONE + THROTTLE_ONE / 32,
		THROTTLE_ONE + THROTTLE_ONE / 16);
	for (unsigned i = 0; i < 20; i++) {
		now += SECOND / 2;
		cpu += SECOND / 2000000 * 19000 * THROTTLE_ONE / throttle.factor;
		analyst += SECOND / 2;
		(void)throttle_see(&throttle, now, cpu, analyst, BOUND_PPM);
	}
	assert_int_equal(throttle.factor, THROTTLE_ONE);
	/* A fresh analyst's CPU time begins at 0. */
	(void)throttle_see(&throttle, now + SECOND / 2, cpu, 1, BOUND_PPM);
	assert_int_equal(throttle.factor, THROTTLE_ONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_throttle__within_the_bound_ticks_come_as_asked),
		cmocka_unit_test(test_throttle__above_it_they_are_as_much_rarer_as_needed),
		cmocka_unit_test(test_throttle__the_analyst_counts_for_a_fifth_at_most),
		cmocka_unit_test(test_throttle__never_rarer_than_half),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
