/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "supervisor/sample/pace.h"

#define SECOND    UINT64_C(1000000000)
#define BOUND_PPM 25000

/* Half seconds in which ticks use @tick_ppm as often as asked, and something else @fixed_ppm. */
static uint64_t run(
	struct pace *pace, unsigned halves, uint64_t tick_ppm, uint64_t fixed_ppm, uint64_t *cpu_ns)
{
	uint64_t yielded = 0;

	for (unsigned i = 0; i < halves; i++) {
		uint64_t now = pace->at_ns + SECOND / 2,
			 ppm = tick_ppm * PACE_ONE / pace->factor + fixed_ppm;

		assert_false(pace_is_due(pace, now - 1));
		assert_true(pace_is_due(pace, now));
		*cpu_ns += ppm * (SECOND / 2) / 1000000;
		yielded += pace_see(pace, now, *cpu_ns, 0, BOUND_PPM);
		assert_in_range(pace->factor, PACE_ONE, PACE_MOST);
	}
	return yielded;
}

static struct pace begun(uint64_t *cpu_ns)
{
	struct pace pace;

	pace_init(&pace);
	/* It cost a lot to attach. */
	*cpu_ns = SECOND;
	assert_true(pace_is_due(&pace, 100 * SECOND));
	assert_int_equal(pace_see(&pace, 100 * SECOND, *cpu_ns, 0, BOUND_PPM), 0);
	assert_int_equal(pace.factor, PACE_ONE);
	return pace;
}

static void test_pace__within_the_bound_ticks_come_as_asked(void **state)
{
	uint64_t cpu;
	struct pace pace = begun(&cpu);

	(void)state;
	assert_int_equal(run(&pace, 20, 20000, 4000, &cpu), 0);
	assert_int_equal(pace.factor, PACE_ONE);
}

static void test_pace__above_it_they_are_as_much_rarer_as_needed(void **state)
{
	uint64_t cpu, before;
	struct pace pace = begun(&cpu);

	(void)state;
	assert_in_range(run(&pace, 20, 30000, 3000, &cpu), 9 * SECOND, 10 * SECOND);
	before = cpu;
	(void)run(&pace, 20, 30000, 3000, &cpu);
	assert_in_range((cpu - before) / 10, SECOND / 1000000 * 24800, SECOND / 1000000 * 25200);
	/* And as often as asked again when they may. */
	(void)run(&pace, 20, 15000, 3000, &cpu);
	assert_int_equal(pace.factor, PACE_ONE);
}

static void test_pace__never_rarer_than_half(void **state)
{
	uint64_t cpu;
	struct pace pace = begun(&cpu);

	(void)state;
	assert_in_range(run(&pace, 20, 300000, 0, &cpu), 9 * SECOND, 10 * SECOND);
	assert_int_equal(pace.factor, PACE_MOST);
}

static void test_pace__the_analyst_counts_for_a_fifth_at_most(void **state)
{
	uint64_t cpu, analyst = 5 * SECOND, now = 100 * SECOND;
	struct pace pace = begun(&cpu);

	(void)state;
	/* 22,000 of ours and 4,000 of its own are above 25,000; 19,000 and whatever it uses are
	 * not. */
	for (unsigned i = 0; i < 20; i++) {
		now += SECOND / 2;
		cpu += SECOND / 2000000 * 22000 * PACE_ONE / pace.factor;
		analyst += SECOND / 2000000 * 4000;
		(void)pace_see(&pace, now, cpu, analyst, BOUND_PPM);
	}
	assert_in_range(pace.factor, PACE_ONE + PACE_ONE / 32, PACE_ONE + PACE_ONE / 16);
	for (unsigned i = 0; i < 20; i++) {
		now += SECOND / 2;
		cpu += SECOND / 2000000 * 19000 * PACE_ONE / pace.factor;
		analyst += SECOND / 2;
		(void)pace_see(&pace, now, cpu, analyst, BOUND_PPM);
	}
	assert_int_equal(pace.factor, PACE_ONE);
	/* A fresh one has used less. */
	(void)pace_see(&pace, now + SECOND / 2, cpu, 1, BOUND_PPM);
	assert_int_equal(pace.factor, PACE_ONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pace__within_the_bound_ticks_come_as_asked),
		cmocka_unit_test(test_pace__above_it_they_are_as_much_rarer_as_needed),
		cmocka_unit_test(test_pace__the_analyst_counts_for_a_fifth_at_most),
		cmocka_unit_test(test_pace__never_rarer_than_half),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
