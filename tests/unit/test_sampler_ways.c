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

/* Met on one CPU only, often, never in a call. */
static void make_quiet(struct world *w, struct actor *a, unsigned cpu)
{
	meet(w, a, cpu, 17);
	be_alone(w, a);
}

static void test_sampler_ways__only_a_lone_thread_without_calls_is_interrupted_afar(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	begin(&w, 2, 2);
	make_quiet(&w, a, 0);
	assert_int_equal(sampler_ways(&w.sampler, 0), 1);
	assert_int_equal(w.sampler.cpu[0].way, SAMPLE_REMOTE);
	assert_int_equal(w.sampler.cpu[1].way, SAMPLE_HOSTED);
	/* A single call is enough to change that, for 64 samples; and so is another image. */
	sampler_note(&a->sample, true);
	assert_int_equal(sampler_ways(&w.sampler, 0), 1);
	assert_int_equal(w.sampler.cpu[0].way, SAMPLE_AWAITED);
	for (unsigned i = 0; i < 64; i++)
		sampler_note(&a->sample, false);
	(void)sampler_ways(&w.sampler, 0);
	assert_int_equal(w.sampler.cpu[0].way, SAMPLE_REMOTE);
	sampler_renew(&a->sample);
	(void)sampler_ways(&w.sampler, 0);
	assert_int_equal(w.sampler.cpu[0].way, SAMPLE_AWAITED);
	sampler_release(&w.sampler);
	/* There is no other CPU to do it from. */
	begin(&w, 1, 1);
	make_quiet(&w, a, 0);
	assert_int_equal(sampler_ways(&w.sampler, 0), 0);
	assert_int_equal(w.sampler.cpu[0].way, SAMPLE_HOSTED);
	sampler_release(&w.sampler);
	/* Another CPU has a sixteenth of what is met. */
	begin(&w, 2, 2);
	meet(&w, &w.actor[1], 1, 2);
	make_quiet(&w, a, 0);
	(void)sampler_ways(&w.sampler, 0);
	assert_int_not_equal(w.sampler.cpu[0].way, SAMPLE_REMOTE);
	sampler_release(&w.sampler);
}

static void test_sampler_ways__from_afar_it_must_not_have_been_put_on_a_cpu_since(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];
	struct cpu_time after = {.slices = 9};

	(void)state;
	begin(&w, 2, 2);
	make_quiet(&w, a, 0);
	(void)sampler_ways(&w.sampler, 0);
	a->slices = a->sample.seen.slices = 9;
	assert_ptr_equal(look(&w, 0), a);
	assert_int_equal(a->sample.order.proof, SAMPLE_BY_SLICE);
	assert_int_equal(w.arrivals + w.stamps, 0);
	assert_true(sampler_judge(&w.sampler, &a->sample, &after, false, w.now, w.now));
	after.slices = 10;
	assert_false(sampler_judge(&w.sampler, &a->sample, &after, false, w.now, w.now));
	assert_int_equal(w.sampler.figures.unproved, 1);
	/* One that sleeps now ends it before the next instant. */
	a->state = ASLEEP;
	assert_true(w.sampler.ways_next_ns > 0);
	assert_null(look(&w, 0));
	assert_int_equal(w.sampler.ways_next_ns, 0);
	/* After a proof that failed the CPU is looked at from near, for some time. */
	assert_int_equal(sampler_ways(&w.sampler, 0), 1);
	assert_int_equal(w.sampler.cpu[0].way, SAMPLE_AWAITED);
	sampler_release(&w.sampler);
}

/* The tracing thread is awake on the CPU that the thread was moved to, and takes it from it. */
static void test_sampler_ways__a_thread_that_was_moved_is_awaited_where_it_is(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	begin(&w, 2, 2);
	make_quiet(&w, a, 0);
	meet(&w, a, 0, 32);
	sampler_note(&a->sample, true);
	assert_int_equal(sampler_ways(&w.sampler, 0), 1);
	assert_int_equal(w.sampler.cpu[0].way, SAMPLE_AWAITED);
	/* We came late, or it sleeps: where it was is right. */
	w.stamp_ns++;
	w.runnable = 0;
	assert_null(look(&w, 0));
	a->state = ASLEEP;
	a->last_cpu = 3;
	assert_null(look(&w, 0));
	assert_true(w.sampler.ways_next_ns > 0);
	a->state = RUNNABLE;
	assert_null(look(&w, 0));
	assert_int_equal(w.sampler.ways_next_ns, 0);
	assert_int_equal(sampler_ways(&w.sampler, 0), 0);
	assert_int_equal(w.sampler.cpu[1].way, SAMPLE_AWAITED);
	/* A second thread that was never met is awaited where it runs, too, once the first has
	 * ended. */
	sampler_remove(&w.sampler, &a->sample);
	w.actor[1].state = RUNNABLE;
	assert_null(look(&w, 1));
	assert_int_equal(w.sampler.ways_next_ns, 0);
	assert_int_equal(w.actor[1].sample.cpu, 0);
	sampler_release(&w.sampler);
}

/* The tracing thread looks at its own CPU first: the scheduler did not choose how late it comes. */
static void test_sampler_ways__from_afar_a_late_instant_is_as_good(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];
	uint64_t planned;

	(void)state;
	for (unsigned afar = 0; afar < 2; afar++) {
		begin(&w, 2, 2);
		make_quiet(&w, a, 0);
		sampler_note(&a->sample, !afar);
		(void)sampler_ways(&w.sampler, 0);
		assert_int_equal(w.sampler.cpu[0].way, afar ? SAMPLE_REMOTE : SAMPLE_AWAITED);
		w.sampler.realtime = false;
		planned = sampler_next(&w.sampler, 0);
		replaced(&w, a);
		assert_int_equal(
			sampler_instant(&w.sampler, 0, planned, planned + 150000) != NULL, afar);
		assert_int_equal(w.sampler.figures.late, !afar);
		sampler_release(&w.sampler);
	}
}

/* A short-lived thread after the other, each at work: no instant says that nobody was. */
static void test_sampler_ways__from_afar_an_instant_is_lost_if_another_thread_may_run(void **state)
{
	struct world w;

	(void)state;
	for (unsigned runs = 0; runs < 2; runs++) {
		uint64_t late;

		begin(&w, 2, 2);
		make_quiet(&w, &w.actor[0], 0);
		(void)sampler_ways(&w.sampler, 0);
		assert_int_equal(w.sampler.cpu[0].way, SAMPLE_REMOTE);
		late = w.sampler.figures.late;
		sampler_remove(&w.sampler, &w.actor[0].sample);
		w.actor[1].state = runs ? RUNNABLE : ASLEEP;
		assert_null(look(&w, 0));
		assert_int_equal(w.sampler.figures.late, late + runs);
		/* The next one stands for it. */
		assert_int_equal(w.sampler.cpu[0].plan.stream[0].lost_ns > 0, runs);
		sampler_release(&w.sampler);
	}
}

static void test_sampler_ways__a_call_that_began_in_the_interrupts_flight_is_no_sample(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];
	const struct cpu_time after = {0};

	(void)state;
	begin(&w, 2, 2);
	make_quiet(&w, a, 0);
	(void)sampler_ways(&w.sampler, 0);
	for (unsigned times = 1; times < 4; times++) {
		uint64_t late = w.sampler.figures.late;

		assert_int_equal(w.sampler.cpu[0].way, SAMPLE_REMOTE);
		assert_ptr_equal(look(&w, 0), a);
		/* One that lasts longer was under way. */
		assert_true(
			sampler_judge(&w.sampler, &a->sample, &after, true, w.now, w.now + 30000));
		assert_false(
			sampler_judge(&w.sampler, &a->sample, &after, true, w.now, w.now + 29999));
		assert_int_equal(w.sampler.figures.late, late + 1);
		/* At once, and each time for longer, it is stopped from near. */
		assert_int_equal(w.sampler.ways_next_ns, 0);
		for (unsigned i = 1; i < 64u << times; i++)
			sampler_note(&a->sample, false);
		(void)sampler_ways(&w.sampler, 0);
		assert_int_equal(w.sampler.cpu[0].way, SAMPLE_AWAITED);
		sampler_note(&a->sample, false);
		(void)sampler_ways(&w.sampler, 0);
	}
	sampler_release(&w.sampler);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sampler_ways__time_that_was_ours_moves_one_cpu),
		cmocka_unit_test(test_sampler_ways__the_tracing_thread_waits_where_most_is_met),
		cmocka_unit_test(
			test_sampler_ways__only_a_lone_thread_without_calls_is_interrupted_afar),
		cmocka_unit_test(
			test_sampler_ways__from_afar_it_must_not_have_been_put_on_a_cpu_since),
		cmocka_unit_test(test_sampler_ways__a_thread_that_was_moved_is_awaited_where_it_is),
		cmocka_unit_test(test_sampler_ways__from_afar_a_late_instant_is_as_good),
		cmocka_unit_test(
			test_sampler_ways__from_afar_an_instant_is_lost_if_another_thread_may_run),
		cmocka_unit_test(
			test_sampler_ways__a_call_that_began_in_the_interrupts_flight_is_no_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
