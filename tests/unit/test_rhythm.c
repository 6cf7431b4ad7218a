/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "supervisor/sample/rhythm.h"

#define MS  UINT64_C(1000000)
#define DAY (UINT64_C(86400000) * MS)

/* Wakings of @cycle, each seen exactly. */
static struct rhythm steady(uint64_t cycle, unsigned wakings)
{
	struct rhythm rhythm = {0};

	for (unsigned i = 0; i < wakings; i++)
		rhythm_woke(&rhythm, DAY + i * cycle, DAY + i * cycle);
	return rhythm;
}

static void test_rhythm__two_wakings_make_a_cycle(void **state)
{
	struct rhythm rhythm = {0};

	(void)state;
	assert_false(rhythm_is_known(&rhythm));
	rhythm_woke(&rhythm, DAY, DAY + 10 * MS);
	assert_false(rhythm_is_known(&rhythm));
	rhythm_woke(&rhythm, DAY + 300 * MS, DAY + 320 * MS);
	assert_true(rhythm_is_known(&rhythm));
	assert_int_equal(rhythm_next(&rhythm), DAY + (310 + 305) * MS);
}

static void test_rhythm__what_is_not_contradicted_stays(void **state)
{
	struct rhythm rhythm = steady(300 * MS, 2);

	(void)state;
	rhythm_woke(&rhythm, DAY + 599 * MS, DAY + 640 * MS);
	assert_int_equal(rhythm_next(&rhythm), DAY + 900 * MS);
	rhythm_woke(&rhythm, DAY + 860 * MS, DAY + 901 * MS);
	assert_int_equal(rhythm_next(&rhythm), DAY + 1200 * MS);
	/* As early as it can have been; and the cycle goes half of the way. */
	rhythm_woke(&rhythm, DAY + 1210 * MS, DAY + 1250 * MS);
	assert_int_equal(rhythm_next(&rhythm), DAY + (1210 + 305) * MS);
	rhythm_woke(&rhythm, DAY + 1500 * MS, DAY + 1505 * MS);
	assert_int_equal(rhythm_next(&rhythm), DAY + (1505 + 300) * MS);
}

static void test_rhythm__missed_wakings_are_counted(void **state)
{
	struct rhythm rhythm = steady(300 * MS, 2);

	(void)state;
	rhythm_woke(&rhythm, DAY + 1516 * MS, DAY + 1516 * MS);
	/* Four cycles later: 16 ms too late is 4 each, of which half. */
	assert_int_equal(rhythm.cycle_ns, 302 * MS);
	assert_int_equal(rhythm_next(&rhythm), DAY + (1516 + 302) * MS);
	/* The next one may be still to come: the one before is in the span. */
	rhythm = steady(300 * MS, 2);
	rhythm_woke(&rhythm, DAY + 590 * MS, DAY + 880 * MS);
	assert_int_equal(rhythm_next(&rhythm), DAY + 900 * MS);
}

static void test_rhythm__one_that_is_much_too_early_is_something_else(void **state)
{
	struct rhythm rhythm = steady(300 * MS, 3);

	(void)state;
	rhythm_woke(&rhythm, DAY + 700 * MS, DAY + 701 * MS);
	assert_int_equal(rhythm_next(&rhythm), DAY + 900 * MS);
	rhythm_woke(&rhythm, DAY + 900 * MS, DAY + 900 * MS);
	assert_int_equal(rhythm_next(&rhythm), DAY + 1200 * MS);
	/* Twice: it is another rhythm. */
	rhythm_woke(&rhythm, DAY + 1000 * MS, DAY + 1000 * MS);
	rhythm_woke(&rhythm, DAY + 1100 * MS, DAY + 1100 * MS);
	assert_int_equal(rhythm_next(&rhythm), DAY + 1200 * MS);
	assert_int_equal(rhythm.cycle_ns, 100 * MS);
}

static void test_rhythm__long_spans_make_it_unknown(void **state)
{
	struct rhythm rhythm = steady(100 * MS, 10);
	uint64_t now = DAY + 900 * MS;

	(void)state;
	for (int i = 0; i < 3; i++) {
		rhythm_woke(&rhythm, now + 1 * MS, now + 250 * MS);
		now += 250 * MS;
		assert_true(rhythm_is_known(&rhythm));
	}
	rhythm_woke(&rhythm, now + 1 * MS, now + 250 * MS);
	assert_false(rhythm_is_known(&rhythm));
	/* A cycle is not measured by such a span. */
	rhythm = steady(300 * MS, 1);
	rhythm_woke(&rhythm, DAY + 100 * MS, DAY + 400 * MS);
	assert_false(rhythm_is_known(&rhythm));
	assert_int_equal(rhythm.cycle_ns, 0);
}

static uint64_t random_below(uint64_t bound)
{
	return (uint64_t)random() % bound;
}

/* Readings are some 20 ms apart; what is expected of a thread is within 5 ms in the middle. */
static void test_rhythm__is_more_exact_than_the_readings(void **state)
{
	unsigned close = 0, of = 0;

	(void)state;
	srandom(7);
	for (unsigned thread = 0; thread < 50; thread++) {
		uint64_t cycle = (300 + 7 * thread) * MS, wake = DAY, read = DAY;
		struct rhythm rhythm = {0};

		for (unsigned i = 0; i < 60; i++) {
			uint64_t before = read, error;

			wake += cycle + random_below(MS);
			while (read < wake) {
				before = read;
				read += random_below(40 * MS);
			}
			error = rhythm_next(&rhythm) > wake ? rhythm_next(&rhythm) - wake
							    : wake - rhythm_next(&rhythm);
			close += i >= 20 && error < 5 * MS;
			of += i >= 20;
			rhythm_woke(&rhythm, before, read);
		}
	}
	assert_in_range(close, of / 2, of);
}

/* Whatever is seen, an expectation is not far. */
static void test_rhythm__bears_anything(void **state)
{
	struct rhythm rhythm = {0};
	uint64_t now = DAY;

	(void)state;
	srandom(8);
	for (unsigned i = 0; i < 100000; i++) {
		uint64_t span = random_below(UINT64_C(1) << random_below(31)),
			 later = random_below(2) ? span : 0;

		now += span + later;
		rhythm_woke(&rhythm, now - span, now);
		assert_in_range(rhythm_next(&rhythm), now / 2, 2 * now);
		assert_in_range(rhythm.wake_ns, 1, now);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rhythm__two_wakings_make_a_cycle),
		cmocka_unit_test(test_rhythm__what_is_not_contradicted_stays),
		cmocka_unit_test(test_rhythm__missed_wakings_are_counted),
		cmocka_unit_test(test_rhythm__one_that_is_much_too_early_is_something_else),
		cmocka_unit_test(test_rhythm__long_spans_make_it_unknown),
		cmocka_unit_test(test_rhythm__is_more_exact_than_the_readings),
		cmocka_unit_test(test_rhythm__bears_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
