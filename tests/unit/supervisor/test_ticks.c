/* SPDX-License-Identifier: MIT */
/* Accounts of CPU time that tables owe to threads, on scripted CPU times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
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

/* Returns the tick's weight, of an instant of @weight_ns that finds the CPU time @run_ns. */
static uint64_t met_by(struct world *w, uint64_t weight_ns, uint64_t run_ns)
{
	const struct cpu_time cpu = {.run_ns = run_ns};

	w->thread.hit.due =
		(struct plan_due){.streams = 1 << STREAM, .weight_ns = {0, 0, weight_ns}};
	ticks_settle(&w->sampler, &w->thread, &cpu);
	return w->thread.hit.due.weight_ns[STREAM];
}

static uint64_t met(struct world *w, uint64_t run_ns)
{
	return met_by(w, MS, run_ns);
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

/* When a helper attaches late, CPU time since the table came into force goes into first ticks. */
static void test_ticks__the_time_before_the_first_tick_is_owed(void **state)
{
	struct world w = begun(50 * MS), young = begun(0);
	uint64_t counted;

	(void)state;
	counted = met(&w, 50 * MS + 20 * MS);
	assert_int_equal(counted, 11 * MS); /* each tick pays half */
	for (unsigned i = 1; i <= 20; i++)
		counted += met(&w, 70 * MS + i * MS);
	assert_in_range(counted, 39 * MS, 41 * MS);
	/*
	 * A thread created after the table came into force is owed all its CPU time, here 4 ms. Its
	 * last tick stands for a whole period that has just begun, 1 ms too much.
	 */
	counted = met(&young, 3 * MS) + met(&young, 4 * MS);
	assert_in_range(counted, 3 * MS, 5 * MS);
}

/* CPU time from before the table does not count. */
static void test_ticks__nothing_is_owed_from_before(void **state)
{
	struct world w = begun(5000 * MS);

	(void)state;
	assert_int_equal(met(&w, 5000 * MS + MS / 2), MS + MS / 4);
	assert_int_equal(met(&w, 5001 * MS + MS / 2), MS + MS / 8);
}

/* How a thread lives: on its CPU for @slice_ns, then off it for @gap_ns. */
struct life {
	uint64_t cpu_ns, slice_ns, gap_ns;
	bool moves; /* each hit moves it to the other CPU, as the supervisor has taken this one */
};

/* Instants become rarer on @from, which the thread has left. */
static void move(struct plan *from, struct plan *to, uint64_t now_ns)
{
	plan_drop(to, now_ns);
	plan_set_factors(from, PLAN_ONE, 4 * PLAN_ONE, now_ns);
	plan_set_factors(to, PLAN_ONE, PLAN_ONE, now_ns);
}

/* Returns the weight of all ticks of a life on two CPUs, which begins at *@now_ns. */
static uint64_t live(struct plan plan[2], const struct life *life, uint64_t *now_ns)
{
	uint64_t born_ns = *now_ns, counted = 0;
	struct world w = begun(0);
	unsigned cpu = 0;

	for (;;) {
		uint64_t age, in_slice, run;
		struct plan_due due;

		plan_drop(&plan[cpu], *now_ns);
		*now_ns = plan_next(&plan[cpu]);
		plan_take(&plan[cpu], *now_ns, &due);
		age = *now_ns - born_ns;
		in_slice = age % (life->slice_ns + life->gap_ns);
		run = age / (life->slice_ns + life->gap_ns) * life->slice_ns;
		run += in_slice < life->slice_ns ? in_slice : life->slice_ns;
		if (run >= life->cpu_ns)
			return counted;
		if (in_slice >= life->slice_ns)
			continue;
		counted += met_by(&w, due.weight_ns[STREAM], run);
		if (!life->moves)
			continue;
		move(&plan[cpu], &plan[!cpu], *now_ns);
		cpu = !cpu;
	}
}

static void check_lives(struct life life)
{
	enum { LIVES = 20000 };
	uint64_t counted = 0, now = WHEN;
	struct plan plan[2];

	for (unsigned i = 0; i < 2; i++) {
		plan_init(&plan[i], UINT64_C(0x9e3779b97f4a7c15) * (i + 1));
		plan_set_period(&plan[i], STREAM, MS, now);
	}
	for (unsigned i = 0; i < LIVES; i++)
		counted += live(plan, &life, &now);
	/* An error of a twentieth of a tick for each life is allowed; chance makes a hundredth. */
	assert_in_range(
		counted, LIVES * (life.cpu_ns - MS / 20), LIVES * (life.cpu_ns + MS / 20));
}

/* The mean of short lives is their CPU time in ticks, with and without others on the CPU. */
static void test_ticks__short_lives_have_no_bias(void **state)
{
	(void)state;
	check_lives((struct life){2 * MS, MS, 0, false});
	check_lives((struct life){5 * MS, MS, 0, false});
	check_lives((struct life){5 * MS, 3 * MS, 10 * MS + MS / 3, false});
	check_lives((struct life){5 * MS, MS / 2, 2 * MS + MS / 3, false});
	check_lives((struct life){20 * MS, MS + MS / 3, 5 * MS, false});
}

/* Neither has the mean of threads that leave their CPU when hit there. */
static void test_ticks__lives_that_move_at_each_hit_have_no_bias(void **state)
{
	(void)state;
	check_lives((struct life){MS + MS / 2, MS, 0, true});
	check_lives((struct life){5 * MS, MS, 0, true});
	check_lives((struct life){20 * MS, 3 * MS, MS, true});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ticks__as_many_as_the_cpu_time_has),
		cmocka_unit_test(test_ticks__the_time_before_the_first_tick_is_owed),
		cmocka_unit_test(test_ticks__nothing_is_owed_from_before),
		cmocka_unit_test(test_ticks__short_lives_have_no_bias),
		cmocka_unit_test(test_ticks__lives_that_move_at_each_hit_have_no_bias),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
