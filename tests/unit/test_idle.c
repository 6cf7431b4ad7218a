/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "supervisor/engine/engine_internal.h"

#define SHARE_NS UINT64_C(200000)

/* Looks in a second of ticks that are @apart ns apart, if all are made. */
static size_t looks_a_second(uint64_t apart, size_t cold)
{
	uint64_t since = UINT64_C(77000000000), began = since;
	size_t sum = 0;

	for (uint64_t now = began + apart; now <= began + UINT64_C(1000000000); now += apart) {
		size_t looks = idle_looks(&since, now, SHARE_NS, cold);

		since += looks * SHARE_NS;
		sum += looks;
	}
	return sum;
}

static void test_idle__looks_do_not_depend_on_the_rate(void **state)
{
	(void)state;
	/* 10 kHz, 4 kHz, 1 kHz, 250 Hz, and ticks of 10 ms where all sleep. */
	assert_in_range(looks_a_second(100000, 100000), 4999, 5000);
	assert_in_range(looks_a_second(250000, 100000), 4999, 5000);
	assert_in_range(looks_a_second(1000000, 100000), 4999, 5000);
	assert_in_range(looks_a_second(4000000, 100000), 4999, 5000);
	assert_in_range(looks_a_second(10000000, 100000), 4999, 5000);
}

static void test_idle__nobody_is_looked_at_twice_in_a_tick(void **state)
{
	(void)state;
	assert_int_equal(looks_a_second(4000000, 3), 3 * 250);
	assert_int_equal(looks_a_second(4000000, 0), 0);
}

static void test_idle__a_long_time_is_not_made_up_for(void **state)
{
	uint64_t since = 0;

	(void)state;
	/* The first tick of all, and one after a minute. */
	assert_in_range(idle_looks(&since, UINT64_C(5000000000), SHARE_NS, 100000), 1, 1000);
	assert_in_range(idle_looks(&since, UINT64_C(65000000000), SHARE_NS, 100000), 1, 1000);
}

static void test_idle__what_was_not_needed_is_kept_for_the_next_ticks(void **state)
{
	const uint64_t began = UINT64_C(77000000000), apart = UINT64_C(1000000);
	uint64_t since = began;

	(void)state;
	/* Five looks a tick: after one tick in which two were made there are three more. */
	assert_int_equal(idle_looks(&since, began + apart, SHARE_NS, 100000), 5);
	since += 2 * SHARE_NS;
	assert_int_equal(idle_looks(&since, began + 2 * apart, SHARE_NS, 100000), 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle__looks_do_not_depend_on_the_rate),
		cmocka_unit_test(test_idle__nobody_is_looked_at_twice_in_a_tick),
		cmocka_unit_test(test_idle__a_long_time_is_not_made_up_for),
		cmocka_unit_test(test_idle__what_was_not_needed_is_kept_for_the_next_ticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
