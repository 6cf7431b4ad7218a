/* SPDX-License-Identifier: MIT */
/* What samples take from their thread, instants that tell nothing, and threads that move about. */
#include "tests/unit/sampler_fixture.h"

static void test_sampler_loss__nobody_is_no_answer_once_the_cpu_was_let_go(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 1, 1);
	assert_null(look(&w, 0));
	assert_int_equal(w.sampler.figures.late, 0);
	assert_int_equal(plan_weight(&w.sampler.cpu[0].plan, 0), MS);
	w.let_go = true;
	assert_null(look(&w, 0));
	assert_int_equal(w.sampler.figures.late, 1);
	assert_int_equal(plan_weight(&w.sampler.cpu[0].plan, 0), 2 * MS);
	sampler_release(&w.sampler);
}

/* @a is sampled on @cpu, and resumed with what it has run by now. */
static void sample(struct world *w, struct actor *a, unsigned cpu, uint64_t end_ns)
{
	const struct cpu_time now = {a->run_ns, a->wait_ns, a->slices};

	a->state = RUNNABLE;
	replaced(w, a);
	/* Before the instant the tracing thread has slept, where it is; before the stop we have. */
	if (cpu == w->sampler.host)
		sampler_let_go(&w->sampler, cpu);
	assert_ptr_equal(look(w, cpu), a);
	sampler_asked(&w->sampler, &a->sample, false);
	sampler_let_go(&w->sampler, cpu);
	assert_true(sampler_judge(&w->sampler, &a->sample, &now, SAMPLE_IN_PROGRAM, w->now));
	sampler_note(&a->sample, true);
	sampler_resumed(&w->sampler, &a->sample, &now, end_ns, 10 * US);
}

static void test_sampler_loss__on_its_way_back_a_thread_is_not_nobody(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	begin(&w, 2, 2);
	sample(&w, a, 0, w.now);
	w.stamp_ns++; /* it has not been put on its CPU again */
	w.runnable = 1;
	assert_null(look(&w, 0));
	assert_int_equal(w.sampler.figures.late, 1);
	/* It may wait for another program. */
	w.runnable = 3;
	assert_null(look(&w, 0));
	w.runnable = -1;
	assert_null(look(&w, 0));
	/* It was on its CPU, and somebody else was there when we came. */
	w.runnable = 1;
	a->slices++;
	assert_null(look(&w, 0));
	/* It was elsewhere. */
	a->slices--;
	assert_null(look(&w, 1));
	assert_int_equal(w.sampler.figures.late, 1);
	sampler_release(&w.sampler);
}

/* @a is met on the first CPU, and asked to stop. */
static void ask(struct world *w, struct actor *a)
{
	a->state = RUNNABLE;
	replaced(w, a);
	assert_ptr_equal(look(w, 0), a);
	sampler_asked(&w->sampler, &a->sample, false);
}

/* It was asked to stop, and waits until the CPU is let go. */
static void test_sampler_loss__on_its_way_to_a_stop_a_thread_is_not_nobody(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	begin(&w, 2, 2);
	sampler_set_period(&w.sampler, 0, MS / 10, 0);
	ask(&w, a);
	a->state = ASLEEP; /* the engine tells nothing of a thread that it has asked to stop */
	w.stamp_ns++;
	w.runnable = 1;
	assert_null(look(&w, 0));
	assert_int_equal(w.sampler.figures.late, 1);
	assert_int_equal(plan_weight(&w.sampler.cpu[0].plan, 0), MS / 5);
	/* It was not there. */
	assert_null(look(&w, 1));
	assert_int_equal(w.sampler.figures.late, 1);
	/* It has stopped. */
	assert_true(sampler_judge(
		&w.sampler, &a->sample, &(struct cpu_time){0}, SAMPLE_IN_PROGRAM, w.now));
	assert_null(look(&w, 0));
	assert_int_equal(w.sampler.figures.late, 1);
	sampler_release(&w.sampler);
}

static void test_sampler_loss__what_does_not_stop_was_nobody(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	for (unsigned late = 0; late < 2; late++) {
		begin(&w, 2, 2);
		ask(&w, a);
		a->state = ASLEEP;
		w.stamp_ns++;
		/* It may wait for another program; it sleeps, and is not interrupted. */
		w.runnable = late ? 1 : 3;
		while (late && sampler_next(&w.sampler, 0) < a->sample.order.woke_ns + MS)
			plan_shift(&w.sampler.cpu[0].plan, 0, MS, 0);
		assert_null(look(&w, 0));
		assert_int_equal(w.sampler.figures.late, 0);
		sampler_release(&w.sampler);
	}
}

/* A thread that stops at the end of its call counts for each instant that finds it there. */
static void test_sampler_loss__a_long_call_has_all_its_instants(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];
	const struct sample_order *order = &a->sample.order;

	(void)state;
	begin(&w, 2, 2);
	ask(&w, a);
	/* The engine tells nothing of a thread that it has asked to stop. */
	a->state = ASLEEP;
	a->pc = 0;
	/* It may still be on its way to the stop: nobody's time, which the next instant gets. */
	a->run_ns += 50 * US;
	replaced(&w, a);
	w.runnable = 1;
	assert_null(look(&w, 0));
	assert_int_equal(order->weight_ns[0], MS);
	assert_int_equal(w.sampler.figures.late, 1);
	a->run_ns += MS;
	replaced(&w, a);
	assert_null(look(&w, 0));
	assert_int_equal(order->weight_ns[0], 3 * MS);
	/* On another CPU it was not, and here not when we came. */
	w.stamp_ns++;
	assert_null(look(&w, 1));
	while (sampler_next(&w.sampler, 0) < order->woke_ns + MS)
		plan_shift(&w.sampler.cpu[0].plan, 0, MS, 0);
	assert_null(look(&w, 0));
	assert_int_equal(order->weight_ns[0], 3 * MS);
	assert_int_equal(w.sampler.figures.late, 1);
	/* A table's instant, too. */
	sampler_set_period(&w.sampler, 1, MS, w.now);
	a->run_ns += MS;
	replaced(&w, a);
	while (!order->weight_ns[1])
		assert_null(look(&w, 0));
	assert_true(order->streams & 2);
	/* It has been put on the CPU often since: that is no proof against it. */
	a->slices += 5;
	assert_true(sampler_judge(&w.sampler, &a->sample,
		&(const struct cpu_time){a->run_ns, a->wait_ns, a->slices}, SAMPLE_IN_CALL, w.now));
	sampler_release(&w.sampler);
}

/* Its stop was overtaken by an exec or by a group-stop: nobody waits for it any more. */
static void test_sampler_loss__what_is_lost_is_not_on_its_way_to_a_stop(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	begin(&w, 2, 2);
	ask(&w, a);
	assert_true(a->sample.stopping);
	sampler_lose(&w.sampler, &a->sample);
	assert_false(a->sample.stopping);
	assert_int_equal(w.sampler.figures.late, 1);
	assert_int_equal(plan_weight(&w.sampler.cpu[0].plan, 0), 2 * MS);
	sampler_release(&w.sampler);
}

/* The ticks of 5 instants that were lost, of a thread that has run for @ran_ns since its last. */
static uint64_t ticks_after_a_loss(uint64_t ran_ns, bool asleep)
{
	struct world w;
	struct actor *a = &w.actor[0];
	uint64_t ticks;

	begin(&w, 1, 1);
	sampler_set_period(&w.sampler, 0, 0, 0);
	sampler_set_period(&w.sampler, 2, MS, 0);
	a->run_ns = 3 * MS;
	sample(&w, a, 0, w.now);
	/* From its first tick on: what it ran before tells nothing. */
	assert_int_equal(a->sample.order.weight_ns[2], MS);
	w.let_go = true;
	w.stamp_ns++;
	for (unsigned i = 0; i < 5; i++)
		assert_null(look(&w, 0));
	w.let_go = false;
	a->run_ns += ran_ns;
	a->slices++;
	if (asleep) {
		a->state = ASLEEP;
		replaced(&w, a);
		assert_ptr_equal(look(&w, 0), a);
	} else {
		sample(&w, a, 0, w.now);
	}
	assert_int_equal(a->sample.order.asleep, asleep);
	ticks = a->sample.order.weight_ns[2];
	sampler_release(&w.sampler);
	return ticks;
}

/* What a hypervisor took meanwhile, or other programs, is no CPU time of the thread. */
static void test_sampler_loss__ticks_are_made_up_for_as_far_as_the_thread_has_run(void **state)
{
	(void)state;
	for (unsigned asleep = 0; asleep < 2; asleep++) {
		assert_int_equal(ticks_after_a_loss(7 * MS, asleep), 6 * MS);
		assert_int_equal(ticks_after_a_loss(5 * MS, asleep), 6 * MS);
		assert_int_equal(ticks_after_a_loss(2 * MS + 300, asleep), 3 * MS + 300);
		assert_int_equal(ticks_after_a_loss(1, asleep), MS + 1);
	}
}

/* A thread that slept since its table was put in force has lost nothing, however long it has lived.
 */
static void test_sampler_loss__the_first_tick_makes_up_from_the_tables_beginning_on(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	begin(&w, 1, 1);
	sampler_set_period(&w.sampler, 0, 0, 0);
	a->run_ns = 1000 * MS;
	sampler_forget_ticks(&w.sampler, &a->sample);
	sampler_set_period(&w.sampler, 2, MS, 0);
	w.let_go = true;
	for (unsigned i = 0; i < 5; i++)
		assert_null(look(&w, 0));
	w.let_go = false;
	a->run_ns += 1;
	a->slices++;
	sample(&w, a, 0, w.now);
	assert_int_equal(a->sample.order.weight_ns[2], MS + 1);
	sampler_release(&w.sampler);
}

/* Found 100 times, and each time it has run for @ran_ns: its ticks, in ns. */
static uint64_t ticks_of_runs(uint64_t ran_ns, uint64_t *ret_second)
{
	struct world w;
	struct actor *a = &w.actor[0];
	uint64_t sum = 0;

	begin(&w, 1, 1);
	sampler_set_period(&w.sampler, 0, 0, 0);
	sampler_set_period(&w.sampler, 2, MS, 0);
	for (unsigned i = 0; i < 100; i++) {
		a->run_ns += ran_ns;
		a->slices++;
		sample(&w, a, 0, w.now);
		sum += a->sample.order.weight_ns[2];
		if (i == 1)
			*ret_second = a->sample.order.weight_ns[2];
	}
	sampler_release(&w.sampler);
	return sum;
}

/* However often it is found. What a tick weighs is known before the look that it is for. */
static void test_sampler_loss__ticks_are_as_many_as_the_thread_has_run(void **state)
{
	uint64_t second;

	(void)state;
	assert_int_equal(ticks_of_runs(MS, &second), 100 * MS);
	assert_in_range(ticks_of_runs(MS / 10 * 7, &second), 70 * MS, 72 * MS);
	assert_int_equal(second, MS);
	assert_in_range(ticks_of_runs(3 * MS, &second), 293 * MS, 300 * MS);
	assert_int_equal(second, MS);
	/* 16 at a time, and what it owes beyond that is lost. */
	assert_in_range(ticks_of_runs(1000 * MS, &second), 98 * 17 * MS, 99 * 17 * MS);
	assert_int_equal(second, MS);
}

/*
 * A table of another period knows nothing of the last one's, and one that goes on through an exec
 * nothing of the CPU time of the thread that was there before.
 */
static void test_sampler_loss__a_new_table_owes_nothing(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	begin(&w, 1, 1);
	sampler_set_period(&w.sampler, 0, 0, 0);
	for (unsigned period_ms = 1; period_ms <= 2; period_ms++) {
		sampler_set_period(&w.sampler, 2, period_ms * MS, w.now);
		for (unsigned i = 0; i < 3; i++) {
			a->run_ns += 10 * MS;
			a->slices++;
			sample(&w, a, 0, w.now);
			assert_in_range(a->sample.order.weight_ns[2], period_ms * MS,
				(i < 2 ? 1 : 10) * period_ms * MS);
		}
		assert_int_not_equal(a->sample.order.weight_ns[2], period_ms * MS);
	}
	sampler_renew(&a->sample);
	a->run_ns = MS;
	for (unsigned i = 0; i < 3; i++) {
		sample(&w, a, 0, w.now);
		assert_int_equal(a->sample.order.weight_ns[2], 2 * MS);
		a->run_ns += 2 * MS;
		a->slices++;
	}
	sampler_release(&w.sampler);
}

/* Both clocks of one CPU, from the first of two stops to the second. */
static void lose(uint64_t apart, uint64_t ran, uint64_t waited, uint64_t slices,
	int64_t *ret_profile, int64_t *ret_table)
{
	struct world w;
	struct actor *a = &w.actor[0];
	const struct plan_stream *stream;
	uint64_t before[2];

	begin(&w, 1, 1);
	stream = w.sampler.cpu[0].plan.stream;
	sampler_set_period(&w.sampler, 2, 100 * MS, 0);
	sample(&w, a, 0, 50 * MS);
	a->run_ns += ran;
	a->wait_ns += waited;
	a->slices += slices;
	before[0] = stream[0].next_ns;
	before[1] = stream[2].next_ns;
	sampler_had(&w.sampler, 0, 30 * US);
	assert_int_equal(stream[0].next_ns, before[0] + 30 * US);
	sample(&w, a, 0, 50 * MS + apart);
	before[0] = stream[0].next_ns;
	sampler_had(&w.sampler, 0, 0);
	*ret_profile = (int64_t)(stream[0].next_ns - before[0]);
	/* The third interrupt puts off the tables by what was owed since the second. */
	sampler_asked(&w.sampler, &a->sample, false);
	*ret_table = (int64_t)(stream[2].next_ns - before[1]);
	sampler_release(&w.sampler);
}

static void test_sampler_loss__what_a_lone_thread_lost_is_left_out_exactly(void **state)
{
	int64_t profile, table;

	(void)state;
	/* 100 us were lost: 30 us were left out already, or for a table 80 us by estimate. */
	lose(MS, 900 * US, 50 * US, 2, &profile, &table);
	assert_int_equal(profile, 70 * US);
	/* Two estimates, and what the first was short of; the mean has gone up to 81.25 us. */
	assert_int_equal(table, 80 * US + 20 * US + 81250);
	/* Nothing was: what was left out is taken back. */
	lose(MS, MS, 0, 2, &profile, &table);
	assert_int_equal(profile, -30 * (int64_t)US);
	/* Much was, by a hypervisor. */
	lose(50 * MS, MS, 50 * US, 2, &profile, &table);
	assert_int_equal(profile, 49 * MS - 30 * US);
	/* It waited for somebody else, or slept: that is not known. */
	lose(MS, 900 * US, 91 * US, 2, &profile, &table);
	assert_int_equal(profile, 0);
	lose(MS, 900 * US, 50 * US, 3, &profile, &table);
	assert_int_equal(profile, 0);
	assert_int_equal(table, 80 * US + 80 * US);
}

/* The tracing thread waits on CPU 0, where one thread works; another one does on CPU 1. */
static void test_sampler_loss__work_for_other_cpus_is_taken_from_the_hosts_thread(void **state)
{
	struct world w;
	const struct plan_stream *table;
	uint64_t before;

	(void)state;
	begin(&w, 2, 2);
	table = &w.sampler.cpu[1].plan.stream[2];
	for (unsigned i = 0; i < 200; i++)
		sample(&w, &w.actor[i % 2], i % 2, w.now);
	sampler_asked(&w.sampler, &w.actor[0].sample, false); /* nothing is owed any more */
	sampler_had(&w.sampler, 0, 0);
	sampler_set_period(&w.sampler, 2, 100 * MS, w.now);
	for (unsigned asked = 0; asked < 3; asked++) {
		uint64_t least = asked < 2 ? 49 * US : 0;

		/* 0: work for nobody's sample, 1: for a thread of CPU 1, 2: for its own. */
		if (asked)
			sampler_asked(&w.sampler, &w.actor[asked % 2].sample, false);
		before = table->next_ns;
		sampler_had(&w.sampler, 0, 100 * US);
		assert_int_equal(table->next_ns, before);
		/* At the next sample. Both CPUs are at work: each stands for half. */
		sampler_asked(&w.sampler, &w.actor[0].sample, false);
		assert_in_range(
			table->next_ns - before - w.sampler.held_ns / 2, least, least + 2 * US);
		sampler_had(&w.sampler, 0, 0);
	}
	sampler_release(&w.sampler);
}

static void test_sampler_loss__a_quiet_cpu_is_looked_at_once_a_thread_is_there(void **state)
{
	struct world w;
	const struct plan_stream *other;

	(void)state;
	begin(&w, 2, 1);
	other = &w.sampler.cpu[1].plan.stream[0];
	for (unsigned i = 0; i < 1000; i++)
		assert_null(look(&w, 1));
	assert_int_equal(other->span_ns, 16 * MS);
	assert_null(look(&w, 0));
	assert_int_equal(other->span_ns, 16 * MS);
	w.actor[0].state = RUNNABLE;
	w.actor[0].last_cpu = 3;
	w.stamp_ns++;
	assert_null(look(&w, 0));
	assert_int_equal(other->span_ns, MS);
	assert_int_equal(other->misses, 0);
	assert_true(other->next_ns > w.now);
	sampler_release(&w.sampler);
}

static void test_sampler_loss__a_lone_thread_that_moves_is_alone_all_the_same(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 2, 2);
	w.runnable = 1;
	for (unsigned i = 0; i < 40; i++)
		sample(&w, &w.actor[0], i % 2, w.now);
	assert_int_equal(sampler_ways(&w.sampler, w.now), 1);
	assert_int_equal(w.sampler.keeper, 0);
	/* Another one: it is not. */
	for (unsigned i = 0; i < 40; i++)
		sample(&w, &w.actor[i / 2 % 2], i % 2, w.now);
	(void)sampler_ways(&w.sampler, w.now);
	assert_int_equal(w.sampler.keeper, -1);
	sampler_release(&w.sampler);
}

static void test_sampler_loss__where_others_run_no_cpu_is_taken_before_the_instant(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 2, 2);
	w.runnable = 2;
	for (unsigned i = 0; i < 40; i++)
		sample(&w, &w.actor[0], 1, w.now);
	(void)sampler_ways(&w.sampler, w.now);
	assert_int_equal(w.sampler.keeper, -1);
	/* Nor where nobody can tell. */
	w.runnable = -1;
	for (unsigned i = 0; i < 40; i++)
		sample(&w, &w.actor[0], 1, w.now);
	(void)sampler_ways(&w.sampler, w.now);
	assert_int_equal(w.sampler.keeper, -1);
	w.runnable = 1;
	for (unsigned i = 0; i < 32; i++)
		sample(&w, &w.actor[0], 1, w.now);
	(void)sampler_ways(&w.sampler, w.now);
	assert_int_equal(w.sampler.keeper, 0);
	/* The thread waits for them when we come: that nobody is met shows them too. */
	w.actor[0].state = ASLEEP;
	for (unsigned i = 0; i < 9; i++)
		assert_null(look(&w, 1));
	(void)sampler_ways(&w.sampler, w.now);
	assert_int_equal(w.sampler.keeper, -1);
	sampler_release(&w.sampler);
}

/* Makes calls, and never sleeps or waits between its stops. */
static void test_sampler_loss__a_steady_thread_needs_no_time_stamps(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];
	struct cpu_time after;

	(void)state;
	begin(&w, 1, 1);
	for (unsigned i = 0; i < 17; i++) {
		assert_false(sampler_is_steady(&w.sampler, 0));
		a->slices += 2;
		a->run_ns++;
		sample(&w, a, 0, w.now);
		assert_int_equal(a->sample.order.proof, SAMPLE_BY_STAMP);
	}
	assert_true(sampler_is_steady(&w.sampler, 0));
	sampler_let_go(&w.sampler, 0);
	a->slices++;
	a->run_ns = a->sample.resumed.run_ns + sampler_next(&w.sampler, 0) - a->sample.resumed_ns;
	assert_ptr_equal(look(&w, 0), a);
	assert_int_equal(a->sample.order.proof, SAMPLE_BY_WAIT);
	assert_int_equal(w.arrivals + w.stamps + w.runnables, 0);
	after = (struct cpu_time){.wait_ns = 20 * US, .slices = a->slices + 1};
	assert_true(
		sampler_judge(&w.sampler, &a->sample, &after, SAMPLE_IN_PROGRAM, w.now + 20 * US));
	/* It did not wait while we had its CPU. */
	assert_false(
		sampler_judge(&w.sampler, &a->sample, &after, SAMPLE_IN_PROGRAM, w.now + 21 * US));
	/* It was put on a CPU once more: it slept, or somebody else was there. */
	assert_ptr_equal(w.sampler.cpu[0].resumed, &a->sample);
	after.slices++;
	assert_false(
		sampler_judge(&w.sampler, &a->sample, &after, SAMPLE_IN_PROGRAM, w.now + 20 * US));
	/* Then it is asked for time stamps again, for some time. */
	assert_false(sampler_is_steady(&w.sampler, 0));
	a->run_ns++;
	sample(&w, a, 0, w.now);
	assert_int_equal(a->sample.order.proof, SAMPLE_BY_STAMP);
	sampler_release(&w.sampler);
}

/* A daemon of the kernel comes by now and then: that stop counts, and no other one. */
static void test_sampler_loss__a_steady_thread_may_be_disturbed_once_in_a_while(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	begin(&w, 1, 1);
	for (unsigned i = 0; i < 100; i++) {
		a->slices += 2;
		a->run_ns++;
		sample(&w, a, 0, w.now);
	}
	/* One stop between which and the last it was put on its CPU once more takes off sixteen. */
	for (unsigned times = 4; times; times--) {
		assert_int_equal(a->sample.steady, 16 * times);
		assert_true(sampler_is_steady(&w.sampler, 0));
		/* At the instant it shows, and costs nothing but the time stamps. */
		a->slices += 3;
		a->run_ns++;
		sample(&w, a, 0, w.now);
		assert_int_equal(a->sample.order.proof, SAMPLE_BY_STAMP);
	}
	assert_int_equal(a->sample.steady, 0);
	assert_false(sampler_is_steady(&w.sampler, 0));
	sampler_release(&w.sampler);
}

/* Whoever is not met slept meanwhile: what it did not run is not what a sample took. */
static void test_sampler_loss__a_thread_that_slept_is_not_steady(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	begin(&w, 1, 1);
	sample(&w, a, 0, w.now);
	a->slices += 2;
	a->run_ns++;
	sample(&w, a, 0, w.now);
	assert_int_equal(a->sample.steady, 1);
	a->state = ASLEEP;
	w.stamp_ns++;
	sampler_let_go(&w.sampler, 0);
	assert_null(look(&w, 0));
	assert_null(w.sampler.cpu[0].resumed);
	/* As often as we let go of the CPU, but once of that for a wake-up. */
	a->slices += 3;
	a->run_ns++;
	sample(&w, a, 0, w.now);
	assert_int_equal(a->sample.steady, 0);
	/* While there were no instants nobody saw that it slept. */
	a->slices += 2;
	a->run_ns++;
	sample(&w, a, 0, w.now);
	assert_int_equal(a->sample.steady, 1);
	sampler_set_period(&w.sampler, 0, 0, w.now);
	w.now += 80 * MS;
	sampler_set_period(&w.sampler, 0, MS, w.now);
	a->slices += 2;
	a->run_ns++;
	sample(&w, a, 0, w.now);
	assert_int_equal(a->sample.steady, 0);
	sampler_release(&w.sampler);
}

/* In the fair class a thread that gives up its CPU decides when we get it. */
static void test_sampler_loss__who_lets_us_in_was_not_preempted(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];
	struct cpu_time after = {0};

	(void)state;
	for (unsigned late_us = 0; late_us <= 50; late_us += 50) {
		for (int realtime = 0; realtime < 2; realtime++) {
			bool is_sample = realtime || !late_us;
			uint64_t planned;

			begin(&w, 1, 1);
			w.sampler.realtime = realtime;
			a->state = RUNNABLE;
			replaced(&w, a);
			planned = sampler_next(&w.sampler, 0);
			assert_ptr_equal(instant(&w, 0, planned, planned, planned + late_us * US),
				&a->sample);
			assert_true(sampler_judge(
				&w.sampler, &a->sample, &after, SAMPLE_IN_PROGRAM, planned));
			assert_int_equal(sampler_judge(&w.sampler, &a->sample, &after,
						 SAMPLE_IN_YIELD, planned),
				is_sample);
			assert_int_equal(w.sampler.figures.late, !is_sample);
			/* It has gone to sleep. */
			a->state = ASLEEP;
			a->run_ns++;
			replaced(&w, a);
			planned = sampler_next(&w.sampler, 0);
			assert_ptr_equal(instant(&w, 0, planned, planned, planned + late_us * US),
				is_sample ? &a->sample : NULL);
			assert_int_equal(w.sampler.figures.late, 2 * !is_sample);
			sampler_release(&w.sampler);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_sampler_loss__a_steady_thread_may_be_disturbed_once_in_a_while),
		cmocka_unit_test(test_sampler_loss__a_thread_that_slept_is_not_steady),
		cmocka_unit_test(test_sampler_loss__who_lets_us_in_was_not_preempted),
		cmocka_unit_test(test_sampler_loss__nobody_is_no_answer_once_the_cpu_was_let_go),
		cmocka_unit_test(test_sampler_loss__on_its_way_back_a_thread_is_not_nobody),
		cmocka_unit_test(test_sampler_loss__on_its_way_to_a_stop_a_thread_is_not_nobody),
		cmocka_unit_test(test_sampler_loss__what_does_not_stop_was_nobody),
		cmocka_unit_test(test_sampler_loss__what_is_lost_is_not_on_its_way_to_a_stop),
		cmocka_unit_test(test_sampler_loss__a_long_call_has_all_its_instants),
		cmocka_unit_test(
			test_sampler_loss__ticks_are_made_up_for_as_far_as_the_thread_has_run),
		cmocka_unit_test(
			test_sampler_loss__the_first_tick_makes_up_from_the_tables_beginning_on),
		cmocka_unit_test(test_sampler_loss__ticks_are_as_many_as_the_thread_has_run),
		cmocka_unit_test(test_sampler_loss__a_new_table_owes_nothing),
		cmocka_unit_test(test_sampler_loss__what_a_lone_thread_lost_is_left_out_exactly),
		cmocka_unit_test(
			test_sampler_loss__work_for_other_cpus_is_taken_from_the_hosts_thread),
		cmocka_unit_test(
			test_sampler_loss__a_quiet_cpu_is_looked_at_once_a_thread_is_there),
		cmocka_unit_test(test_sampler_loss__a_lone_thread_that_moves_is_alone_all_the_same),
		cmocka_unit_test(
			test_sampler_loss__where_others_run_no_cpu_is_taken_before_the_instant),
		cmocka_unit_test(test_sampler_loss__a_steady_thread_needs_no_time_stamps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
