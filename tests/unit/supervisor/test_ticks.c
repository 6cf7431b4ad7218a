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

/* Lets an instant find the thread when its CPU time is @run_ns; returns the tick's weight. */
static uint64_t met(struct world *w, uint64_t run_ns)
{
	const struct cpu_time cpu = {.run_ns = run_ns};

	w->thread.hit.due = (struct plan_due){.streams = 1 << STREAM, .weight_ns = {0, 0, MS}};
	ticks_settle(&w->sampler, &w->thread, &cpu);
	return w->thread.hit.due.weight_ns[STREAM];
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
	/* A period or two after the last tick is left for the next tick. */
	assert_in_range(counted, 296 * MS, 300 * MS);
}

/* A helper that attaches late counts the CPU time that threads have used meanwhile. */
static void test_ticks__the_time_before_the_first_tick_is_owed(void **state)
{
	struct world w = begun(50 * MS), young = begun(0);
	uint64_t counted;

	(void)state;
	counted = met(&w, 50 * MS + 20 * MS);
	assert_int_equal(counted, MS); /* The weight was fixed before. */
	for (unsigned i = 1; i <= 5; i++)
		counted += met(&w, 70 * MS + i * MS);
	assert_in_range(counted, 24 * MS, 26 * MS);
	/* CPU time is also owed to a thread that was created after the table came into force. */
	counted = met(&young, 3 * MS) + met(&young, 4 * MS);
	assert_in_range(counted, 3 * MS, 4 * MS);
}

/* CPU time that the thread used before the table was in force is not counted. */
static void test_ticks__nothing_is_owed_from_before(void **state)
{
	struct world w = begun(5000 * MS);

	(void)state;
	assert_int_equal(met(&w, 5000 * MS + MS / 2), MS);
	assert_int_equal(met(&w, 5001 * MS + MS / 2), MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ticks__as_many_as_the_cpu_time_has),
		cmocka_unit_test(test_ticks__the_time_before_the_first_tick_is_owed),
		cmocka_unit_test(test_ticks__nothing_is_owed_from_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
