/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "supervisor/target/wall.h"
#include "tests/random.h"

#define MS UINT64_C(1000000)

static const struct cpu_time born = {.run_ns = 5 * MS, .wait_ns = 2 * MS, .slices = 7};

/* Blocked is what was neither CPU time, nor run queue time, nor a stop by us. */
static void test_wall__the_rest_of_the_time_was_blocked(void **state)
{
	struct cpu_time cpu = {.run_ns = 8 * MS, .wait_ns = 3 * MS, .slices = 9};
	struct waiting owed;
	struct wall w;

	(void)state;
	wall_begin(&w, &born, 100 * MS);
	w.stopped_ns = MS / 2;
	wall_settle(&w, &cpu, 110 * MS);
	owed = wall_owes(&w);
	assert_int_equal(owed.queue_ns, 1 * MS);
	assert_int_equal(owed.blocked_ns, 10 * MS - 3 * MS - 1 * MS - MS / 2);
	/* A stop is excluded only once. */
	wall_settle(&w, &cpu, 111 * MS);
	assert_int_equal(wall_owes(&w).blocked_ns, owed.blocked_ns + MS);
}

/* A stale CPU time makes the blocked time too long; the next exact one corrects it. */
static void test_wall__what_was_paid_too_much_is_taken_back(void **state)
{
	struct cpu_time cpu = born;
	struct waiting owed;
	struct wall w;

	(void)state;
	wall_begin(&w, &born, 0);
	/* the thread ran for 4 of the 10 ms, which its CPU time does not show yet */
	wall_settle(&w, &cpu, 10 * MS);
	owed = wall_owes(&w);
	assert_int_equal(owed.blocked_ns, 10 * MS);
	wall_pay(&w, &owed);
	assert_int_equal(wall_owes(&w).blocked_ns, 0);
	cpu.run_ns += 4 * MS;
	wall_settle(&w, &cpu, 11 * MS);
	assert_int_equal(wall_owes(&w).blocked_ns, 0);
	assert_true(w.blocked_ns == -(int64_t)(3 * MS));
	wall_settle(&w, &cpu, 21 * MS);
	assert_int_equal(wall_owes(&w).blocked_ns, 7 * MS);
}

/* A location where a blocked thread was seen gets the time until the thread runs again. */
static void test_wall__a_place_gets_what_was_waited_there(void **state)
{
	struct cpu_time cpu = born;
	struct waiting owed;
	struct wall w;

	(void)state;
	wall_begin(&w, &born, 0);
	assert_false(wall_stays(&w, &cpu)); /* no location was seen yet */
	wall_settle(&w, &cpu, 3 * MS);
	owed = wall_owes(&w);
	assert_int_equal(owed.blocked_ns, 3 * MS);
	wall_pay(&w, &owed);
	wall_see(&w, cpu.slices, 3 * MS);
	assert_int_equal(wall_owes_here(&w), 0);
	assert_true(wall_stays(&w, &cpu));
	wall_stay(&w, &cpu, 10 * MS);
	assert_int_equal(wall_owes_here(&w), 7 * MS);
	wall_stay(&w, &cpu, 9 * MS); /* older than the last reading: ignored */
	assert_int_equal(wall_owes_here(&w), 7 * MS);
	/* The thread ran for 1 ms and is blocked again. */
	cpu.run_ns += 1 * MS;
	cpu.slices++;
	assert_false(wall_stays(&w, &cpu));
	wall_settle(&w, &cpu, 20 * MS);
	assert_int_equal(wall_owes_here(&w), 7 * MS);
	assert_int_equal(wall_owes(&w).blocked_ns, 7 * MS + 9 * MS);
	owed = (struct waiting){.blocked_ns = 7 * MS};
	wall_pay(&w, &owed);
	assert_int_equal(wall_owes_here(&w), 0);
	assert_int_equal(wall_owes(&w).blocked_ns, 9 * MS);
}

/* The last available reading of a thread that is gone may be older than the last one here. */
static void test_wall__an_older_reading_adds_nothing(void **state)
{
	struct cpu_time cpu = {.run_ns = 8 * MS, .wait_ns = 3 * MS, .slices = 9};
	struct waiting owed;
	struct wall w;

	(void)state;
	wall_begin(&w, &born, 100 * MS);
	wall_settle(&w, &cpu, 110 * MS);
	wall_settle(&w, &born, 111 * MS);
	owed = wall_owes(&w);
	assert_int_equal(owed.queue_ns, 1 * MS);
	assert_int_equal(owed.blocked_ns, 11 * MS - 3 * MS - 1 * MS);
	assert_int_equal(w.at.run_ns, cpu.run_ns);
}

/* At whatever times a thread is examined, the reported times add up to its lifetime. */
static void test_wall__sums_are_the_lifetime(void **state)
{
	struct cpu_time cpu = born;
	struct waiting paid = {0}, owed;
	uint64_t now = 50, random = 1, stopped = 0, run = 0;
	struct wall w;

	(void)state;
	wall_begin(&w, &born, now);
	for (unsigned i = 0; i < 10000; i++) {
		uint64_t step[4];

		for (unsigned k = 0; k < 4; k++)
			step[k] = random_number(&random) % 5000;
		cpu.run_ns += step[0];
		cpu.wait_ns += step[1];
		run += step[0];
		stopped += step[2];
		w.stopped_ns += step[2];
		now += step[0] + step[1] + step[2] + step[3];
		wall_settle(&w, &cpu, now);
		owed = wall_owes(&w);
		if (random & 1)
			owed.queue_ns = 0;
		wall_pay(&w, &owed);
		waiting_add(&paid, &owed);
	}
	owed = wall_owes(&w);
	wall_pay(&w, &owed);
	waiting_add(&paid, &owed);
	assert_int_equal(paid.queue_ns + paid.blocked_ns + run + stopped, now - 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wall__the_rest_of_the_time_was_blocked),
		cmocka_unit_test(test_wall__what_was_paid_too_much_is_taken_back),
		cmocka_unit_test(test_wall__a_place_gets_what_was_waited_there),
		cmocka_unit_test(test_wall__an_older_reading_adds_nothing),
		cmocka_unit_test(test_wall__sums_are_the_lifetime),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
