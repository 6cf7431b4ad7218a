/* SPDX-License-Identifier: MIT */
/* From where the threads of a CPU are stopped, and the instants of several CPUs. */
#include "tests/unit/sampler_fixture.h"

static void test_sampler_ways__time_that_was_ours_moves_one_cpu(void **state)
{
	struct world w;
	uint64_t zero, one;

	(void)state;
	begin(&w, 2, 0);
	zero = sampler_next(&w.sampler, 0);
	one = sampler_next(&w.sampler, 1);
	sampler_had(&w.sampler, 1, 5000);
	assert_int_equal(sampler_next(&w.sampler, 0), zero);
	assert_int_equal(sampler_next(&w.sampler, 1), one + 5000);
	assert_int_equal(sampler_cpu(&w.sampler, 3), 1);
	assert_true(sampler_cpu(&w.sampler, 4) < 0);
	sampler_release(&w.sampler);
}

static void test_sampler_ways__the_tracing_thread_waits_where_most_is_met(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 3, 3);
	assert_int_equal(sampler_ways(&w.sampler, 0), 0);
	assert_int_equal(w.sampler.cpu[0].way, SAMPLE_HOSTED);
	assert_int_equal(w.sampler.cpu[1].way, SAMPLE_WAITER);
	assert_true(w.sampler.ways_next_ns > 0);
	sampler_note(&w.actor[0].sample, true);
	meet(&w, &w.actor[1], 1, 2);
	meet(&w, &w.actor[0], 2, 4);
	assert_int_equal(sampler_ways(&w.sampler, 1), 2);
	assert_int_equal(w.sampler.cpu[2].way, SAMPLE_HOSTED);
	assert_int_equal(w.sampler.cpu[0].way, SAMPLE_WAITER);
	/* Not for less than twice as much. */
	meet(&w, &w.actor[1], 1, 3);
	assert_int_equal(sampler_ways(&w.sampler, 2), 2);
	meet(&w, &w.actor[1], 1, 7);
	assert_int_equal(sampler_ways(&w.sampler, 3), 1);
	sampler_release(&w.sampler);
}

static void test_sampler_ways__one_thread_at_work_has_a_keeper_or_is_awaited(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	for (unsigned cpus = 1; cpus <= 4; cpus++) {
		begin(&w, cpus, 2);
		/* Of two threads it is the only one that works. */
		meet(&w, a, cpus - 1, 17);
		w.runnable = 1;
		assert_int_equal(sampler_ways(&w.sampler, 0), cpus < 3 ? cpus - 1 : 0);
		assert_int_equal(w.sampler.keeper, cpus == 2 ? 0 : -1);
		assert_int_equal(
			w.sampler.cpu[cpus - 1].way, cpus < 3 ? SAMPLE_HOSTED : SAMPLE_AWAITED);
		assert_int_equal(w.sampler.cpu[cpus - 1].plan.slotted, cpus > 1);
		sampler_release(&w.sampler);
	}
	/* In the fair class the tracing thread keeps off the CPU of a thread that may sleep. */
	begin(&w, 2, 2);
	w.sampler.realtime = false;
	meet(&w, a, 1, 17);
	w.runnable = 1;
	assert_int_equal(sampler_ways(&w.sampler, 0), 0);
	assert_int_equal(w.sampler.keeper, -1);
	assert_int_equal(w.sampler.cpu[1].way, SAMPLE_AWAITED);
	a->sample.steady = SAMPLE_STEADY;
	w.sampler.cpu[1].resumed = &a->sample;
	assert_int_equal(sampler_ways(&w.sampler, 0), 1);
	assert_int_equal(w.sampler.keeper, 0);
	sampler_release(&w.sampler);
	/* Another CPU has a sixteenth of what is met. */
	begin(&w, 2, 2);
	meet(&w, &w.actor[1], 1, 2);
	meet(&w, a, 0, 17);
	w.runnable = 1;
	(void)sampler_ways(&w.sampler, 0);
	assert_int_equal(w.sampler.keeper, -1);
	assert_false(w.sampler.cpu[0].plan.slotted);
	sampler_release(&w.sampler);
	/* The only thread there is, wherever it was met. */
	begin(&w, 2, 1);
	meet(&w, a, 0, 9);
	meet(&w, a, 1, 1);
	w.runnable = 1;
	assert_int_equal(sampler_ways(&w.sampler, 0), 1);
	assert_int_equal(w.sampler.keeper, 0);
	sampler_release(&w.sampler);
}

/* The tracing thread would be awake on the CPU that the thread was moved to. */
static void test_sampler_ways__a_thread_that_has_moved_is_followed(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	for (unsigned cpus = 2; cpus <= 3; cpus++) {
		begin(&w, cpus, 2);
		meet(&w, a, 0, 49);
		w.runnable = 1;
		(void)sampler_ways(&w.sampler, 0);
		assert_int_equal(w.sampler.keeper, cpus == 2 ? 1 : -1);
		/* We came late, or it sleeps: where it was is right. */
		w.stamp_ns++;
		a->run_ns++;
		w.runnable = 0;
		assert_null(look(&w, 0));
		a->state = ASLEEP;
		a->last_cpu = numbers[1];
		assert_null(look(&w, 0));
		assert_true(w.sampler.ways_next_ns > 0);
		a->state = RUNNABLE;
		assert_null(look(&w, 0));
		assert_int_equal(w.sampler.ways_next_ns, 0);
		assert_int_equal(sampler_ways(&w.sampler, 0), cpus == 2 ? 1 : 0);
		assert_int_equal(w.sampler.cpu[1].way, cpus == 2 ? SAMPLE_HOSTED : SAMPLE_AWAITED);
		assert_int_equal(w.sampler.keeper, cpus == 2 ? 0 : -1);
		/* A second thread that was never met is followed, too, once the first has ended. */
		sampler_remove(&w.sampler, &a->sample);
		w.actor[1].state = RUNNABLE;
		assert_null(look(&w, 1));
		assert_int_equal(w.sampler.ways_next_ns, 0);
		assert_int_equal(w.actor[1].sample.cpu, 0);
		sampler_release(&w.sampler);
	}
}

static void test_sampler_ways__one_that_is_met_on_the_keepers_cpu_is_followed(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	begin(&w, 2, 2);
	meet(&w, a, 0, 49);
	w.runnable = 1;
	assert_int_equal(sampler_ways(&w.sampler, 0), 0);
	meet(&w, a, 0, 1);
	(void)look(&w, 1); /* an instant that has passed */
	w.sampler.ways_next_ns = 1;
	meet(&w, a, 1, 1);
	assert_int_equal(w.sampler.ways_next_ns, 0);
	assert_int_equal(sampler_ways(&w.sampler, 1), 1);
	assert_int_equal(w.sampler.keeper, 0);
	/* The engine has seen it taken over when it was let go on. */
	sampler_moved(&w.sampler, &a->sample, 0);
	assert_int_equal(w.sampler.ways_next_ns, 0);
	assert_int_equal(sampler_ways(&w.sampler, 2), 0);
	assert_int_equal(w.sampler.keeper, 1);
	sampler_release(&w.sampler);
}

/* The only thread is known to be on the other CPU: there is nobody to meet. */
static void test_sampler_ways__the_keepers_cpu_is_looked_at_for_other_threads_only(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];
	uint64_t late;

	(void)state;
	begin(&w, 2, 1);
	assert_int_not_equal(sampler_next(&w.sampler, 1), PLAN_NEVER);
	meet(&w, a, 0, 49);
	w.runnable = 1;
	assert_int_equal(sampler_ways(&w.sampler, w.now), 0);
	assert_int_equal(sampler_next(&w.sampler, 1), PLAN_NEVER);
	meet(&w, a, 0, 100);
	/* A second thread may run anywhere. What has passed meanwhile is not late. */
	late = w.sampler.figures.late;
	w.sampler.ways_next_ns = 1;
	assert_int_equal(sampler_add(&w.sampler, &w.actor[1].sample, &w.actor[1]), 0);
	assert_int_equal(w.sampler.ways_next_ns, 0);
	(void)sampler_ways(&w.sampler, w.now);
	assert_int_equal(w.sampler.keeper, 1);
	assert_in_range(sampler_next(&w.sampler, 1), w.now, w.now + 40 * MS);
	w.actor[1].state = RUNNABLE;
	replaced(&w, &w.actor[1]);
	assert_ptr_equal(look(&w, 1), &w.actor[1]);
	assert_int_equal(w.sampler.figures.late, late);
	sampler_release(&w.sampler);
	/* Tables count everywhere, at the same instants. */
	begin(&w, 2, 1);
	sampler_set_period(&w.sampler, 2, 10 * MS, 0);
	meet(&w, a, 0, 1);
	w.runnable = 1;
	assert_int_equal(sampler_ways(&w.sampler, w.now), 1);
	assert_int_equal(w.sampler.keeper, -1);
	assert_int_equal(w.sampler.cpu[0].way, SAMPLE_AWAITED);
	assert_int_not_equal(sampler_next(&w.sampler, 1), PLAN_NEVER);
	sampler_release(&w.sampler);
}

/* The kernel acts on a ring at the end of a call, before the interrupt has arrived. */
static void test_sampler_ways__the_keeper_rings_for_threads_without_calls(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];
	const struct cpu_time after = {0};

	(void)state;
	begin(&w, 2, 1);
	meet(&w, a, 0, 9);
	w.runnable = 1;
	assert_int_equal(sampler_ways(&w.sampler, 0), 0);
	assert_false(w.sampler.rings); /* nothing is known yet */
	for (unsigned i = 0; i < SAMPLE_UNCALLED; i++) {
		assert_false(w.sampler.rings);
		sampler_note(&a->sample, false);
		(void)sampler_ways(&w.sampler, 0);
	}
	for (unsigned times = 1; times < 4; times++) {
		uint64_t late = w.sampler.figures.late;

		assert_true(w.sampler.rings);
		w.sampler.ways_next_ns = 1;
		replaced(&w, a);
		assert_ptr_equal(look(&w, 0), a);
		w.sampler.cpu[0].failures = 0;
		a->sample.order.proof = SAMPLE_BY_STAMP;
		assert_true(
			sampler_judge(&w.sampler, &a->sample, &after, SAMPLE_IN_PROGRAM, w.now));
		assert_false(sampler_judge(&w.sampler, &a->sample, &after, SAMPLE_IN_CALL, w.now));
		assert_int_equal(w.sampler.figures.late, late + 1);
		/* At once, and each time for longer, a timer takes its place. */
		assert_int_equal(w.sampler.ways_next_ns, 0);
		for (unsigned i = 0; i < (unsigned)SAMPLE_UNCALLED << times; i++) {
			(void)sampler_ways(&w.sampler, 0);
			assert_false(w.sampler.rings);
			sampler_note(&a->sample, false);
		}
		meet(&w, a, 0, 1);
		(void)sampler_ways(&w.sampler, 0);
	}
	/* With a timer the end of a call is as good a place as any. */
	sampler_note(&a->sample, true);
	(void)sampler_ways(&w.sampler, 0);
	assert_false(w.sampler.rings);
	replaced(&w, a);
	assert_ptr_equal(look(&w, 0), a);
	a->sample.order.proof = SAMPLE_BY_STAMP;
	assert_true(sampler_judge(&w.sampler, &a->sample, &after, SAMPLE_IN_CALL, w.now));
	sampler_release(&w.sampler);
}

/* Somebody of higher priority keeps the host's CPU for good. */
static void test_sampler_ways__a_barred_cpu_is_no_host_for_a_time(void **state)
{
	struct world w;
	const uint64_t bar = UINT64_C(10000000000);

	(void)state;
	begin(&w, 2, 2);
	meet(&w, &w.actor[1], 1, 9);
	meet(&w, &w.actor[0], 0, 2);
	w.runnable = 4;
	assert_int_equal(sampler_ways(&w.sampler, 0), 1);
	sampler_bar(&w.sampler, 5);
	assert_int_equal(w.sampler.ways_next_ns, 0);
	assert_int_equal(sampler_ways(&w.sampler, 6), 0);
	assert_int_equal(w.sampler.cpu[1].way, SAMPLE_WAITER);
	meet(&w, &w.actor[1], 1, 9);
	assert_int_equal(sampler_ways(&w.sampler, bar + 4), 0);
	meet(&w, &w.actor[1], 1, 9);
	assert_int_equal(sampler_ways(&w.sampler, bar + 5), 1);
	sampler_release(&w.sampler);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sampler_ways__a_barred_cpu_is_no_host_for_a_time),
		cmocka_unit_test(test_sampler_ways__time_that_was_ours_moves_one_cpu),
		cmocka_unit_test(test_sampler_ways__the_tracing_thread_waits_where_most_is_met),
		cmocka_unit_test(test_sampler_ways__one_thread_at_work_has_a_keeper_or_is_awaited),
		cmocka_unit_test(test_sampler_ways__a_thread_that_has_moved_is_followed),
		cmocka_unit_test(test_sampler_ways__one_that_is_met_on_the_keepers_cpu_is_followed),
		cmocka_unit_test(
			test_sampler_ways__the_keepers_cpu_is_looked_at_for_other_threads_only),
		cmocka_unit_test(test_sampler_ways__the_keeper_rings_for_threads_without_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
