/* SPDX-License-Identifier: MIT */
/* Which thread is sampled at an instant, and the weight of the sample. Seeds are fixed. */
#include "tests/unit/supervisor/sampler_fixture.h"

static void test_sampler__the_thread_with_our_time_stamp_was_preempted(void **state)
{
	struct world w;
	struct actor *a = &w.actor[1];

	(void)state;
	begin(&w, 1, 3);
	a->state = RUNNABLE;
	assert_null(look(&w, 0));
	preempted(&w, a);
	assert_ptr_equal(look(&w, 0), a);
	assert_false(a->sample.hit.asleep);
	assert_true(a->sample.stopping);
	assert_int_equal(a->sample.hit.due.weight_ns[0], MS);
	assert_int_equal(a->sample.hit.before.run_ns, a->run_ns);
	assert_int_equal(w.sampler.figures.instants, 2);
	assert_int_equal(w.sampler.figures.late, 0);
	sampler_release(&w.sampler);
}

/* Since the waiter's wake-up, a scheduler tick or a clock reading renewed its stamp. */
static void test_sampler__a_renewed_stamp_of_ours_is_proof_on_this_cpu(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	begin(&w, 2, 1);
	a->state = RUNNABLE;
	w.renewed_ns = 5000;
	for (unsigned i = 0; i < 3; i++) {
		/* another CPU, where a switch may by chance have that time */
		a->last_cpu = i == 1 ? 3 : 2;
		preempted(&w, a);
		a->stamp_ns -= i == 2 ? 5001 : 5000;
		assert_ptr_equal(look(&w, 0), i ? NULL : a);
		a->sample.stopping = false;
	}
	sampler_release(&w.sampler);
}

static void test_sampler__who_runs_elsewhere_or_sleeps_is_no_hit(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 1, 3);
	w.actor[0].state = RUNNABLE;
	w.actor[1].state = GONE;
	w.stamp_ns = 99;
	assert_null(look(&w, 0));
	for (unsigned i = 0; i < 3; i++)
		sampler_remove(&w.sampler, &w.actor[i].sample);
	assert_null(w.sampler.newest);
	assert_null(w.sampler.oldest);
	assert_null(look(&w, 0));
	assert_int_equal(w.sampler.figures.instants, 2);
	assert_int_equal(w.sampler.figures.late, 0);
	sampler_release(&w.sampler);
}

static void test_sampler__who_let_us_in_by_falling_asleep_is_hit_there(void **state)
{
	struct world w;
	struct actor *a = &w.actor[2];

	(void)state;
	begin(&w, 1, 3);
	(void)look(&w, 0); /* all CPU times are known now */
	preempted(&w, a);
	assert_ptr_equal(look(&w, 0), a);
	assert_true(a->sample.hit.asleep);
	assert_false(a->sample.stopping);
	assert_int_equal(a->sample.hit.activity.pc, a->pc);
	assert_int_equal(a->sample.hit.due.weight_ns[0], MS);
	/* The time stamp has not changed: the thread has not run since, so it is a miss. */
	assert_null(look(&w, 0));
	assert_int_equal(w.stamps, 0);
	/* A thread that is ending has no pc: no hit. */
	a->pc = 0;
	preempted(&w, a);
	assert_null(look(&w, 0));
	sampler_release(&w.sampler);
}

/* The kernel charges a thread from its wake-up on, also while its CPU leaves the idle state. */
static void test_sampler__who_was_woken_before_the_instant_is_hit(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	begin(&w, 2, 2);
	w.late_ns = 20000;
	for (unsigned i = 0; i < 7; i++) {
		w.runnable = 1;
		a->state = RUNNABLE;
		a->run_ns += 100000;
		w.stamp_ns += MS;
		a->stamp_ns = w.stamp_ns - 220000;
		a->queued_ns = w.stamp_ns - 20000; /* queued at the instant */
		a->last_cpu = 2;
		switch (i) {
		case 1: a->queued_ns++; break;                 /* queued after the instant */
		case 2: a->queued_ns = a->stamp_ns - 1; break; /* the clocks differ */
		case 3: a->last_cpu = 3; break;                /* it last ran on another CPU */
		case 4: w.runnable = 3; break;        /* another thread may have run here */
		case 6: w.sampler.present = 0; break; /* so it may with fewer CPUs */
		case 5: a->queued_ns = 0; break; /* the kernel does not say when it was queued */
		}
		assert_ptr_equal(look(&w, 0), i ? NULL : a);
		a->sample.stopping = false;
	}
	sampler_release(&w.sampler);
}

static void test_sampler__without_time_stamps_its_cpu_must_do(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 2, 3);
	w.arrived_error = -ENODATA;
	w.actor[0].state = w.actor[1].state = RUNNABLE;
	w.actor[0].last_cpu = 3;
	w.actor[1].last_cpu = 2;
	assert_ptr_equal(look(&w, 0), &w.actor[1]);
	assert_ptr_equal(look(&w, 1), &w.actor[0]);
	/* The last CPU of a sleeping thread proves nothing. */
	w.actor[0].state = w.actor[1].state = ASLEEP;
	w.actor[1].run_ns++;
	assert_null(look(&w, 0));
	sampler_release(&w.sampler);
}

static void test_sampler__an_instant_that_comes_late_is_lost_and_counted(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	begin(&w, 1, 1);
	a->state = RUNNABLE;
	for (int realtime = 0; realtime < 2; realtime++) {
		w.sampler.realtime = realtime;
		w.sampler.figures = (struct sample_figures){0};
		w.late_ns = realtime ? 20 * MS : 100000;
		preempted(&w, a);
		assert_ptr_equal(look(&w, 0), a);
		assert_int_equal(w.sampler.figures.late, 0);
		a->sample.stopping = false;
		w.late_ns++;
		preempted(&w, a);
		assert_null(look(&w, 0));
		assert_int_equal(w.sampler.figures.late, 1);
		assert_int_equal(w.sampler.figures.instants, 2);
	}
	sampler_release(&w.sampler);
}

/* An offline CPU's waiter runs elsewhere: the thread it preempts there has instants of its own. */
static void test_sampler__an_instant_on_another_cpu_is_lost_and_counted(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	begin(&w, 2, 1);
	for (int error = 0; error > -2; error--) {
		w.sampler.figures = (struct sample_figures){0};
		w.arrived_error = error;
		for (w.strays = true;; w.strays = false) {
			w.expected = error ? NULL : a;
			a->last_cpu = w.strays ? 11 : 3;
			a->state = RUNNABLE;
			preempted(&w, a);
			assert_ptr_equal(look(&w, 1), w.strays ? NULL : a);
			assert_int_equal(w.sampler.figures.late, 1);
			assert_int_equal(w.sampler.figures.unproved, 0);
			a->sample.stopping = false;
			if (!w.strays)
				break;
		}
		assert_int_equal(w.sampler.figures.instants, 2);
	}
	sampler_release(&w.sampler);
}

static void test_sampler__a_cpu_that_is_added_has_instants(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	begin(&w, 1, 1);
	assert_int_equal(sampler_add_cpu(&w.sampler, numbers[1]), 0);
	assert_int_equal(w.sampler.cpus, 2);
	assert_int_equal(w.sampler.present, 2);
	assert_int_equal(sampler_cpu(&w.sampler, numbers[1]), 1);
	a->state = RUNNABLE;
	preempted(&w, a);
	assert_ptr_equal(look(&w, 1), a);
	sampler_release(&w.sampler);
}

/* In the fair class, a thread that lets a late waiter in was elsewhere at the instant. */
static void test_sampler__who_let_us_in_late_is_not_taken_for_where_it_is_now(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];
	const struct cpu_time cpu = {0};

	(void)state;
	begin(&w, 1, 1);
	w.sampler.realtime = false;
	w.late_ns = 40001;
	preempted(&w, a); /* the thread sleeps */
	assert_null(look(&w, 0));
	assert_int_equal(w.sampler.figures.late, 1);
	a->state = RUNNABLE;
	preempted(&w, a);
	assert_ptr_equal(look(&w, 0), a);
	assert_false(sampler_judge(&w.sampler, &a->sample, &cpu, true));
	assert_int_equal(w.sampler.figures.late, 2);
	preempted(&w, a);
	assert_ptr_equal(look(&w, 0), a);
	assert_true(sampler_judge(&w.sampler, &a->sample, &cpu, false));
	assert_int_equal(w.sampler.figures.late, 2);
	sampler_release(&w.sampler);
}

/*
 * In the fair class, an instant is late by the time for which the waiter waited for other threads.
 * While the timer itself is late, no thread runs.
 */
static void test_sampler__a_late_timer_is_not_a_late_instant(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	begin(&w, 1, 1);
	a->state = RUNNABLE;
	w.sampler.realtime = false;
	w.late_ns = 10 * MS;
	w.waited_ns = 100000;
	preempted(&w, a);
	assert_ptr_equal(look(&w, 0), a);
	assert_true(a->sample.hit.slow);
	a->sample.stopping = false;
	w.waited_ns++;
	preempted(&w, a);
	assert_null(look(&w, 0));
	assert_int_equal(w.sampler.figures.late, 1);
	/* Of a wait in the run queue, only the part after the instant counts: here 0.1 ms. */
	w.late_ns = 100000;
	preempted(&w, a);
	assert_ptr_equal(look(&w, 0), a);
	sampler_release(&w.sampler);
}

static void test_sampler__a_hit_is_lost_if_the_thread_has_run_since(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	begin(&w, 1, 1);
	a->state = RUNNABLE;
	for (unsigned i = 0; i < 3; i++) {
		a->slices = i < 2; /* 0: no schedstat */
		preempted(&w, a);
		assert_ptr_equal(look(&w, 0), a);
		a->run_ns += i > 0;
		assert_int_equal(sampler_confirm(&w.sampler, &a->sample), i != 1);
		assert_int_equal(a->sample.stopping, i != 1);
		assert_int_equal(w.sampler.figures.unproved, i > 0);
		assert_int_equal(w.sampler.figures.late, w.sampler.figures.unproved);
		a->sample.stopping = false;
	}
	preempted(&w, a);
	assert_ptr_equal(look(&w, 0), a);
	a->state = GONE;
	assert_false(sampler_confirm(&w.sampler, &a->sample));
	sampler_release(&w.sampler);
}

/* Later instants in the call belong to the awaited sample: no own code runs before the stop. */
static void test_sampler__instants_in_one_call_add_to_the_sample_that_is_awaited(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];
	struct cpu_time cpu = {0};

	(void)state;
	begin(&w, 1, 1);
	a->state = RUNNABLE;
	preempted(&w, a);
	assert_ptr_equal(look(&w, 0), a);
	a->state = ASLEEP; /* as the probe shows any thread with a stop request */
	a->pc = 0;
	preempted(&w, a);
	a->run_ns = a->sample.hit.before.run_ns + 59999; /* it may be on its way to the stop */
	assert_null(look(&w, 0));
	preempted(&w, a);
	a->run_ns = a->sample.hit.before.run_ns + 60000;
	assert_null(look(&w, 0));
	assert_int_equal(a->sample.hit.due.weight_ns[0], 2 * MS);
	assert_true(sampler_judge(&w.sampler, &a->sample, &cpu, false));
	assert_false(a->sample.stopping);
	sampler_release(&w.sampler);
}

static void test_sampler__a_removed_thread_is_nowhere(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 2, 4);
	hit(&w, &w.actor[1], 0, 8);
	hit(&w, &w.actor[3], 1, 1);
	sampler_remove(&w.sampler, &w.actor[1].sample);
	assert_null(w.sampler.cpu[0].hit);
	assert_ptr_equal(w.sampler.cpu[1].hit, &w.actor[3].sample);
	assert_int_equal(w.sampler.threads, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_ptr_not_equal(w.sampler.thread[i], &w.actor[1].sample);
		assert_int_equal(w.sampler.thread[i]->slot, i);
	}
	memset(&w.actor[1], 0xa5, sizeof(w.actor[1])); /* an access would be noticed */
	w.actor[3].state = ASLEEP;
	hit(&w, &w.actor[0], 0, 1);
	sampler_remove(&w.sampler, &w.actor[2].sample);
	sampler_remove(&w.sampler, &w.actor[0].sample);
	assert_ptr_equal(w.sampler.newest, &w.actor[3].sample);
	assert_ptr_equal(w.sampler.oldest, &w.actor[3].sample);
	sampler_release(&w.sampler);
}

static void test_sampler__a_table_has_as_many_ticks_as_the_thread_has_cpu_time(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];
	uint64_t counted = 0, began = 0;

	(void)state;
	begin(&w, 1, 1);
	sampler_set_period(&w.sampler, 2, 3 * MS);
	w.due = (struct plan_due){.streams = 1 << 2, .weight_ns = {0, 0, 3 * MS}};
	a->state = RUNNABLE;
	for (unsigned i = 0; i < 200; i++) {
		struct cpu_time cpu;

		/* Every fourth instant is lost, and intervals vary. */
		a->run_ns += (i % 4 ? 3 : 6) * MS + i % 2 * MS - MS / 2;
		preempted(&w, a);
		assert_ptr_equal(look(&w, 0), a);
		cpu = (struct cpu_time){.run_ns = a->run_ns};
		assert_true(sampler_judge(&w.sampler, &a->sample, &cpu, false));
		if (!i)
			began = a->run_ns;
		else
			counted += a->sample.hit.due.weight_ns[2];
	}
	/* Ticks make up for the CPU time owed, less one tick; that since the last tick remains. */
	assert_in_range(counted, a->run_ns - began - 8 * MS, a->run_ns - began + 8 * MS);
	assert_int_equal(w.sampler.figures.instants, 0);
	sampler_release(&w.sampler);
}

static void test_sampler__gaps_become_longer_for_want_of_hits(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	begin(&w, 2, 1);
	for (unsigned i = 0; i < 63; i++)
		assert_null(look(&w, 1));
	assert_int_equal(sampler_stretch(&w.sampler, 1), PLAN_ONE);
	assert_null(look(&w, 1));
	assert_int_equal(sampler_stretch(&w.sampler, 1), 2 * PLAN_ONE);
	for (unsigned i = 0; i < 2000; i++)
		assert_null(look(&w, 1));
	assert_int_equal(sampler_stretch(&w.sampler, 1), 16 * PLAN_ONE);
	hit(&w, a, 1, 1);
	assert_int_equal(sampler_stretch(&w.sampler, 1), PLAN_ONE);
	sampler_release(&w.sampler);
}

static void test_sampler__all_gaps_become_longer_if_we_cannot_keep_up(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 1, 1);
	w.sampler.figures.instants = 100;
	sampler_turn(&w.sampler, 6, true);
	assert_int_equal(sampler_factor(&w.sampler), PLAN_ONE);
	w.sampler.figures.instants += 100;
	sampler_turn(&w.sampler, 7, true);
	assert_int_equal(sampler_factor(&w.sampler), PLAN_ONE * 9 / 8);
	assert_int_equal(w.sampler.figures.late, 13);
	/* The sampler was idle for more than half of the time: longer gaps would not help. */
	w.sampler.figures.instants += 100;
	sampler_turn(&w.sampler, 50, false);
	assert_in_range(sampler_factor(&w.sampler), PLAN_ONE, PLAN_ONE * 9 / 8 - 1);
	for (unsigned i = 0; i < 200; i++) {
		w.sampler.figures.instants += 100;
		sampler_turn(&w.sampler, 0, true);
	}
	assert_int_equal(sampler_factor(&w.sampler), PLAN_ONE);
	/* The longer period is in force: that of the bound on the cost. */
	w.sampler.factor_1024 = 3 * PLAN_ONE;
	assert_int_equal(sampler_factor(&w.sampler), 3 * PLAN_ONE);
	sampler_release(&w.sampler);
}

/* The loss is the time between two stops less CPU time, if only the supervisor took the CPU. */
static void test_sampler__the_loss_of_an_uninterrupted_thread_is_measured(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];
	struct sample_loss loss;

	(void)state;
	for (unsigned i = 0; i < 6; i++) {
		struct cpu_time cpu = {.run_ns = 10 * MS, .wait_ns = MS, .slices = 7};

		begin(&w, 1, 1);
		hit(&w, a, 0, 1);
		loss = sampler_resumed(&w.sampler, &a->sample, &cpu, 100 * MS);
		assert_int_equal(loss.apart_ns, 0);
		sampler_occupied(&w.sampler, 0, 30000);
		cpu.run_ns += 4 * MS - 100000;
		cpu.wait_ns += 90000;
		cpu.slices += 2;
		switch (i) {
		case 1: cpu.slices++; break;  /* the thread has slept */
		case 2: cpu.wait_ns++; break; /* the thread waited for others */
		case 3:
			w.sampler.cpu[0].resumed = NULL;
			break; /* a miss between the stops */
		/* The clocks contradict: more CPU time than elapsed. */
		case 4: cpu.run_ns += MS; break;
		/* Others ran while the thread was in its stop. */
		case 5: cpu.run_ns -= 4 * 30000 + 60000 - 100000 + 1; break;
		}
		loss = sampler_resumed(&w.sampler, &a->sample, &cpu, 104 * MS);
		assert_int_equal(loss.apart_ns, i ? 0 : 4 * MS);
		assert_int_equal(loss.lost_ns, i ? 0 : 100000);
		sampler_release(&w.sampler);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sampler__the_thread_with_our_time_stamp_was_preempted),
		cmocka_unit_test(test_sampler__a_renewed_stamp_of_ours_is_proof_on_this_cpu),
		cmocka_unit_test(test_sampler__who_runs_elsewhere_or_sleeps_is_no_hit),
		cmocka_unit_test(test_sampler__who_let_us_in_by_falling_asleep_is_hit_there),
		cmocka_unit_test(test_sampler__who_was_woken_before_the_instant_is_hit),
		cmocka_unit_test(test_sampler__without_time_stamps_its_cpu_must_do),
		cmocka_unit_test(test_sampler__an_instant_that_comes_late_is_lost_and_counted),
		cmocka_unit_test(test_sampler__an_instant_on_another_cpu_is_lost_and_counted),
		cmocka_unit_test(test_sampler__a_cpu_that_is_added_has_instants),
		cmocka_unit_test(test_sampler__who_let_us_in_late_is_not_taken_for_where_it_is_now),
		cmocka_unit_test(test_sampler__a_late_timer_is_not_a_late_instant),
		cmocka_unit_test(test_sampler__a_hit_is_lost_if_the_thread_has_run_since),
		cmocka_unit_test(
			test_sampler__instants_in_one_call_add_to_the_sample_that_is_awaited),
		cmocka_unit_test(test_sampler__a_removed_thread_is_nowhere),
		cmocka_unit_test(
			test_sampler__a_table_has_as_many_ticks_as_the_thread_has_cpu_time),
		cmocka_unit_test(test_sampler__gaps_become_longer_for_want_of_hits),
		cmocka_unit_test(test_sampler__all_gaps_become_longer_if_we_cannot_keep_up),
		cmocka_unit_test(test_sampler__the_loss_of_an_uninterrupted_thread_is_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
