/* SPDX-License-Identifier: MIT */
/* The accounts of the CPU time that tables owe to threads, on scripted CPU times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "supervisor/sample/ticks.h"

#define MS     UINT64_C(1000000)
#define STREAM 2
#define WHEN   (1000000 * MS)

struct world {
	struct sampler sampler;
	struct sample_thread thread;
};

static struct world begun(uint64_t began_ns)
{
	struct world w = {.sampler = {.period_ns = {0, 0, MS}}};

	ticks_forget(&w.thread, STREAM, began_ns);
	return w;
}

/*
 * Lets an instant find the thread at @now_ns, when its CPU time is @run_ns; returns the tick's
 * weight. Periods begin at whole milliseconds.
 */
static uint64_t met_at(struct world *w, uint64_t now_ns, uint64_t run_ns)
{
	const struct cpu_time cpu = {.run_ns = run_ns};

	w->thread.hit.woke_ns = now_ns;
	w->thread.hit.due = (struct plan_due){.streams = 1 << STREAM,
		.weight_ns = {0, 0, MS},
		.begin_ns = {0, 0, now_ns / MS * MS}};
	ticks_settle(&w->sampler, &w->thread, &cpu);
	return w->thread.hit.due.weight_ns[STREAM];
}

/* met_at() for a thread that has run without a pause since WHEN, when its CPU time was 0. */
static uint64_t met(struct world *w, uint64_t run_ns)
{
	return met_at(w, WHEN + run_ns, run_ns);
}

static void test_ticks__as_many_as_the_cpu_time_has(void **state)
{
	struct world w = begun(7 * MS);
	uint64_t counted = 0;

	(void)state;
	/* Every third instant is lost. */
	for (uint64_t i = 1; i <= 300; i++)
		if (i % 3)
			counted += met(&w, 7 * MS + i * MS - MS / 2);
	/* The CPU time since the last tick, four periods at most, goes into the next tick. */
	assert_in_range(counted, 296 * MS, 300 * MS);
}

/*
 * A helper may attach late. The CPU time that a thread has used since the table was put in force is
 * then added to its first ticks.
 */
static void test_ticks__the_time_before_the_first_tick_is_owed(void **state)
{
	struct world w = begun(50 * MS), young = begun(0);
	uint64_t counted;

	(void)state;
	counted = met(&w, 50 * MS + 20 * MS);
	assert_int_equal(counted, 11 * MS); /* Each tick pays half. */
	for (unsigned i = 1; i <= 5; i++)
		counted += met(&w, 70 * MS + i * MS);
	assert_in_range(counted, 24 * MS, 26 * MS);
	/*
	 * A thread that was created after the table came into force is owed all of its CPU time,
	 * here 4 ms. Its last tick stands for a whole period that has just begun, 1 ms too much.
	 */
	counted = met(&young, 3 * MS) + met(&young, 4 * MS);
	assert_in_range(counted, 3 * MS, 5 * MS);
}

/* CPU time that the thread used before the table was in force is not counted. */
static void test_ticks__nothing_is_owed_from_before(void **state)
{
	struct world w = begun(5000 * MS);

	(void)state;
	assert_int_equal(met(&w, 5000 * MS + MS / 2), MS);
	assert_int_equal(met(&w, 5001 * MS + MS / 2), MS);
}

/*
 * The weight of all ticks of a life of @life_ns CPU time that begins at a random time. The thread
 * has its CPU for @slice_ns each and is then without it for @gap_ns.
 */
static uint64_t live(
	struct plan_random *random, uint64_t life_ns, uint64_t slice_ns, uint64_t gap_ns)
{
	uint64_t born_ns = WHEN + plan_random(random, MS), counted = 0;
	struct world w = begun(0);

	for (uint64_t begin = WHEN;; begin += MS) {
		uint64_t now = begin + plan_random(random, MS), age, in_slice, run;

		if (now <= born_ns)
			continue;
		age = now - born_ns;
		in_slice = age % (slice_ns + gap_ns);
		run = age / (slice_ns + gap_ns) * slice_ns;
		run += in_slice < slice_ns ? in_slice : slice_ns;
		if (run >= life_ns)
			return counted;
		if (in_slice < slice_ns)
			counted += met_at(&w, now, run);
	}
}

static void check_lives(uint64_t life_ns, uint64_t slice_ns, uint64_t gap_ns)
{
	enum { LIVES = 10000 };
	struct plan_random random;
	uint64_t counted = 0;

	plan_seed(&random, 1);
	for (unsigned i = 0; i < LIVES; i++)
		counted += live(&random, life_ns, slice_ns, gap_ns);
	/* The error allowed is a twelfth of a tick for each life; chance makes a hundredth. */
	assert_in_range(counted, LIVES * (life_ns - MS / 12), LIVES * (life_ns + MS / 12));
}

/* The mean of short lives is their CPU time in ticks, with and without others on the CPU. */
static void test_ticks__short_lives_have_no_bias(void **state)
{
	(void)state;
	check_lives(2 * MS, MS, 0);
	check_lives(5 * MS, MS, 0);
	check_lives(5 * MS, 3 * MS, 10 * MS + MS / 3);
	check_lives(5 * MS, MS / 2, 2 * MS + MS / 3);
	check_lives(20 * MS, MS + MS / 3, 5 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ticks__as_many_as_the_cpu_time_has),
		cmocka_unit_test(test_ticks__the_time_before_the_first_tick_is_owed),
		cmocka_unit_test(test_ticks__nothing_is_owed_from_before),
		cmocka_unit_test(test_ticks__short_lives_have_no_bias),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
