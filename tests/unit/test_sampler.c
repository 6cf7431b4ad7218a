/* SPDX-License-Identifier: MIT */
/* Who is chosen at an instant, and what the sample weighs. */
#include "tests/unit/sampler_fixture.h"

/* It was stopped on @cpu, and has kept that since. */
static void be_alone(struct world *w, struct actor *a, unsigned cpu)
{
	a->slices = a->sample.seen.slices;
	sampler_resumed(&w->sampler, &a->sample,
		&(struct cpu_time){a->run_ns, a->wait_ns, a->slices}, w->now, 0);
	a->slices += observe_turns(&w->sampler, cpu);
	a->run_ns += sampler_next(&w->sampler, cpu) - w->now;
	w->runnable = 1;
}

static void test_sampler__the_one_with_our_time_stamp_was_replaced(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 1, 3);
	w.actor[0].state = w.actor[1].state = w.actor[2].state = RUNNABLE;
	replaced(&w, &w.actor[1]);
	assert_ptr_equal(look(&w, 0), &w.actor[1]);
	assert_int_equal(w.actor[1].sample.order.proof, SAMPLE_BY_STAMP);
	assert_false(w.actor[1].sample.order.asleep);
	assert_int_equal(w.actor[1].sample.order.streams, 1);
	assert_int_equal(w.actor[1].sample.order.weight_ns[0], MS);
	assert_int_equal(w.actor[1].sample.order.woke_ns, w.now);
	/* Our own is read once. */
	assert_int_equal(w.arrivals, 1);
	assert_int_equal(w.sampler.figures.instants, 1);
	assert_true(sampler_judge(
		&w.sampler, &w.actor[1].sample, &(struct cpu_time){0}, SAMPLE_IN_PROGRAM, 0));
	sampler_release(&w.sampler);
}

/* A tick has renewed our time stamp since. */
static void test_sampler__one_that_waits_since_we_came_was_replaced(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	begin(&w, 1, 1);
	w.renewed_ns = 50000;
	for (unsigned before_ns = 0; before_ns <= 50000; before_ns += 50000) {
		a->state = RUNNABLE;
		replaced(&w, a);
		a->stamp_ns -= before_ns;
		assert_ptr_equal(look(&w, 0), a);
		a->stamp_ns += 1; /* still so */
		assert_ptr_equal(look(&w, 0), before_ns ? a : NULL);
	}
	replaced(&w, a);
	a->stamp_ns -= 50001;
	assert_null(look(&w, 0));
	/* A thread that sleeps may have gone to sleep before the waiter came. */
	a->state = ASLEEP;
	a->run_ns++;
	replaced(&w, a);
	a->stamp_ns--;
	assert_null(look(&w, 0));
	a->run_ns++;
	replaced(&w, a);
	assert_ptr_equal(look(&w, 0), a);
	sampler_release(&w.sampler);
}

static void test_sampler__nobody_is_chosen_whom_we_did_not_replace(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 1, 3);
	/* Runnable elsewhere, asleep for long, gone. */
	w.actor[0].state = RUNNABLE;
	w.actor[1].state = GONE;
	w.stamp_ns = 99;
	assert_null(look(&w, 0));
	w.actor[0].state = ASLEEP;
	assert_null(look(&w, 0));
	assert_int_equal(w.stamps, 0);
	assert_int_equal(w.sampler.figures.instants, 2);
	assert_int_equal(w.sampler.figures.late, 0);
	/* Nobody at all. */
	sampler_remove(&w.sampler, &w.actor[1].sample);
	sampler_remove(&w.sampler, &w.actor[0].sample);
	sampler_remove(&w.sampler, &w.actor[2].sample);
	assert_null(w.sampler.newest);
	assert_null(w.sampler.oldest);
	assert_null(look(&w, 0));
	sampler_release(&w.sampler);
}

static void test_sampler__gone_threads_are_passed_over_wherever_they_are_asked(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 2, 3);
	meet(&w, &w.actor[0], 0, 8);
	be_alone(&w, &w.actor[0], 0);
	w.actor[0].state = GONE; /* it would be alone */
	w.actor[1].state = RUNNABLE;
	replaced(&w, &w.actor[1]);
	assert_ptr_equal(look(&w, 0), &w.actor[1]);
	w.actor[1].state = GONE;
	w.actor[2].state = GONE;
	assert_null(look(&w, 0));
	assert_null(look(&w, 1));
	sampler_release(&w.sampler);
}

static void test_sampler__one_that_has_just_gone_to_sleep_is_found_where_it_sleeps(void **state)
{
	struct world w;
	struct actor *a = &w.actor[2];

	(void)state;
	begin(&w, 1, 3);
	(void)look(&w, 0); /* all that has run until now is known */
	a->run_ns = 5000;
	replaced(&w, a);
	assert_ptr_equal(look(&w, 0), a);
	assert_true(a->sample.order.asleep);
	assert_int_equal(a->sample.order.proof, SAMPLE_BY_STAMP);
	assert_int_equal(a->sample.order.activity.pc, a->pc);
	assert_int_equal(a->sample.order.activity.syscall, SYS_nanosleep);
	assert_int_equal(a->sample.order.weight_ns[0], MS);
	/* The same stamp, but it has not run since: it is the last time's. */
	assert_null(look(&w, 0));
	assert_int_equal(w.stamps, 0);
	/* At its end a thread is nowhere. */
	a->run_ns = 6000;
	a->pc = 0;
	replaced(&w, a);
	assert_null(look(&w, 0));
	sampler_release(&w.sampler);
}

/* We came 20 us after the instant; @a has run, went to sleep @after_ns after the instant. */
static void has_slept(struct world *w, struct actor *a, int after_ns)
{
	a->state = ASLEEP;
	a->run_ns += 100000;
	w->stamp_ns += MS;
	w->came_ns = sampler_next(&w->sampler, 0) + 20000;
	a->stamp_ns = w->stamp_ns - 20000 + (uint64_t)after_ns;
}

/*
 * A thread that sleeps for a time would have had its CPU for as long as programming a timer takes,
 * 7 us, had our own timer not been due before its.
 */
static void test_sampler__who_would_be_setting_a_timer_is_met_though_it_sleeps(void **state)
{
	static const struct {
		int after_ns;
		int syscall;
		bool met;
	} cases[] = {
		{0, SYS_nanosleep, true},
		{0, SYS_clock_nanosleep, true},
		{-6999, SYS_nanosleep, true},
		{-7000, SYS_nanosleep, false},
		{1, SYS_nanosleep, false},
		{0, SYS_futex, false},
		{0, SYS_epoll_wait, false},
	};
	struct world w;
	struct actor *a = &w.actor[1], *b = &w.actor[0];

	(void)state;
	begin(&w, 2, 2);
	w.sampler.timer_ns = 7000;
	(void)look(&w, 0);
	/* Whether or not another one has come since, which we preempted. */
	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		bool met = cases[i / 2].met;

		has_slept(&w, a, cases[i / 2].after_ns);
		a->syscall = cases[i / 2].syscall;
		b->state = i % 2 ? RUNNABLE : ASLEEP;
		b->run_ns += i % 2;
		b->stamp_ns = i % 2 ? w.stamp_ns : 0;
		assert_ptr_equal(look(&w, 0), met ? a : i % 2 ? b : NULL);
		if (met) {
			assert_true(a->sample.order.asleep);
			assert_int_equal(a->sample.order.activity.pc, a->pc);
			assert_int_equal(a->sample.order.weight_ns[0], MS);
		}
	}
	/* On another CPU. */
	b->state = ASLEEP;
	a->syscall = SYS_nanosleep;
	a->last_cpu = 3;
	has_slept(&w, a, 0);
	assert_null(look(&w, 0));
	assert_int_equal(w.sampler.figures.late, 0);
	sampler_release(&w.sampler);
}

/* The kernel charges a thread from its wake-up on, also while its CPU leaves the idle state. */
static void test_sampler__who_was_woken_on_an_idle_cpu_before_the_instant_is_met(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	begin(&w, 2, 2);
	w.runnable = 1;
	for (unsigned i = 0; i < 6; i++) {
		has_slept(&w, a, -200000);
		a->state = RUNNABLE;
		a->queued_ns = w.stamp_ns - 20000; /* at the instant */
		a->last_cpu = 2;
		switch (i) {
		case 1: a->queued_ns++; break;                   /* later */
		case 2: a->queued_ns = a->stamp_ns - 1; break;   /* the clocks are not the same */
		case 3: a->last_cpu = 3; break;                  /* elsewhere */
		case 4: w.runnable = 3; break;                   /* somebody else may be here */
		case 5: w.runnable = 1, a->queued_ns = 0; break; /* the kernel does not tell */
		}
		assert_ptr_equal(look(&w, 0), i ? NULL : a);
		if (i == 0) {
			assert_false(a->sample.order.asleep);
			assert_int_equal(a->sample.order.proof, SAMPLE_BY_STAMP);
		}
	}
	sampler_release(&w.sampler);
}

/* Whoever was replaced when we came was so for something else. */
static void test_sampler__an_instant_while_we_have_the_cpu_is_lost(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	begin(&w, 1, 1);
	a->state = RUNNABLE;
	for (unsigned early = 0; early < 2; early++) {
		replaced(&w, a);
		w.came_ns = sampler_next(&w.sampler, 0) - early;
		assert_ptr_equal(look(&w, 0), early ? NULL : a);
		assert_int_equal(w.sampler.figures.late, early);
	}
	sampler_release(&w.sampler);
}

static void test_sampler__one_that_was_put_on_another_cpu_just_then_was_not_replaced(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];

	(void)state;
	begin(&w, 2, 1);
	a->state = RUNNABLE;
	w.renewed_ns = 5000;
	for (unsigned i = 0; i < 2; i++) {
		a->last_cpu = i ? 2 : 3;
		replaced(&w, a);
		a->run_ns++;
		a->stamp_ns -= 1000;
		assert_ptr_equal(look(&w, 0), i ? a : NULL);
	}
	sampler_release(&w.sampler);
}

/* Of ten sleepers that ran six are asked, each as likely as the others, and counts for more. */
static void test_sampler__a_part_of_many_sleepers_is_asked_and_weighs_for_all(void **state)
{
	enum { SLEEPERS = 10, LOOKS = 6000 };
	struct world w;
	unsigned found = 0;

	(void)state;
	begin(&w, 1, SLEEPERS);
	for (unsigned i = 0; i < LOOKS; i++) {
		struct actor *a = &w.actor[i % SLEEPERS], *t;

		for (unsigned k = 0; k < SLEEPERS; k++)
			w.actor[k].run_ns++;
		replaced(&w, a);
		w.sampler.cpu[0].plan.stream[0].misses = 0;
		t = look(&w, 0);
		assert_true(!t || t == a);
		assert_true(w.stamps <= 6);
		found += t != NULL;
		if (t)
			assert_int_equal(t->sample.order.weight_ns[0], MS * (1024 * 10 / 6) / 1024);
	}
	/* Binomial with 0.6: 4.9 standard deviations are 186. */
	assert_in_range(found, LOOKS * 6 / 10 - 186, LOOKS * 6 / 10 + 186);
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
	assert_int_equal(w.arrivals, 1);
	assert_ptr_equal(look(&w, 1), &w.actor[0]);
	/* A sleeper's last CPU proves nothing. */
	w.actor[0].state = w.actor[1].state = ASLEEP;
	w.actor[1].run_ns++;
	assert_null(look(&w, 0));
	sampler_release(&w.sampler);
}

static void test_sampler__a_lone_thread_is_proved_by_how_long_it_waited(void **state)
{
	struct world w;
	struct actor *a = &w.actor[1];
	struct cpu_time after;
	const struct sample_order *order = &a->sample.order;
	uint64_t asked;

	(void)state;
	begin(&w, 1, 3);
	meet(&w, a, 0, 8);
	assert_int_equal(order->proof, SAMPLE_BY_STAMP);
	be_alone(&w, a, 0);
	a->wait_ns = 7000;
	assert_ptr_equal(look(&w, 0), a);
	assert_int_equal(order->proof, SAMPLE_BY_WAIT);
	assert_int_equal(w.arrivals + w.stamps, 0);
	assert_int_equal(order->before.wait_ns, 7000);
	asked = order->woke_ns + 30000;
	after = (struct cpu_time){.wait_ns = 7000 + 30000};
	assert_true(sampler_judge(&w.sampler, &a->sample, &after, SAMPLE_IN_PROGRAM, asked));
	after.wait_ns = 7000 + 30000 + 200000;
	assert_true(sampler_judge(&w.sampler, &a->sample, &after, SAMPLE_IN_PROGRAM, asked));
	/* It waited for less than we had its CPU: it was elsewhere, or came later. */
	after.wait_ns = 7000 + 29999;
	assert_false(sampler_judge(&w.sampler, &a->sample, &after, SAMPLE_IN_PROGRAM, asked));
	assert_int_equal(w.sampler.figures.unproved, 1);
	assert_true(w.sampler.cpu[0].failures > 0);
	/* And for longer: it waited before us. */
	after.wait_ns = 7000 + 30000 + 200001;
	assert_false(sampler_judge(&w.sampler, &a->sample, &after, SAMPLE_IN_PROGRAM, asked));
	/* From now on it is asked for time stamps again. */
	replaced(&w, a);
	assert_ptr_equal(look(&w, 0), a);
	assert_int_equal(order->proof, SAMPLE_BY_STAMP);
	sampler_release(&w.sampler);
}

static void test_sampler__one_that_was_alone_and_sleeps_now_hides_nobody(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 1, 3);
	meet(&w, &w.actor[1], 0, 8);
	be_alone(&w, &w.actor[1], 0);
	w.actor[1].state = ASLEEP;
	w.actor[2].state = RUNNABLE;
	replaced(&w, &w.actor[2]);
	assert_ptr_equal(look(&w, 0), &w.actor[2]);
	assert_int_equal(w.actor[2].sample.order.proof, SAMPLE_BY_STAMP);
	sampler_release(&w.sampler);
}

/* It is runnable: that it was the last one for long does not show that it had the CPU. */
static void test_sampler__one_that_did_not_run_all_the_time_needs_a_time_stamp(void **state)
{
	struct world w;
	struct actor *a = &w.actor[1], *b = &w.actor[2];

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		begin(&w, 1, 3);
		meet(&w, a, 0, 8);
		be_alone(&w, a, 0);
		switch (i) {
		case 1: a->run_ns -= 60000; break;              /* on the ways to and from us */
		case 2: a->run_ns -= 60001; break;              /* it slept, and is woken */
		case 3: a->slices++; break;                     /* it was put on a CPU once more */
		case 4: w.sampler.cpu[0].resumed = NULL; break; /* it was stopped elsewhere */
		}
		b->state = RUNNABLE;
		b->run_ns++;
		replaced(&w, b);
		assert_ptr_equal(look(&w, 0), i < 2 ? a : b);
		sampler_release(&w.sampler);
	}
}

static void test_sampler__an_instant_that_comes_late_is_dropped_and_counted(void **state)
{
	struct world w;
	uint64_t planned;

	(void)state;
	begin(&w, 1, 1);
	w.actor[0].state = RUNNABLE;
	for (int realtime = 0; realtime < 2; realtime++) {
		uint64_t late = realtime ? 20 * MS : 100000;

		w.sampler.realtime = realtime;
		w.sampler.figures = (struct sample_figures){0};
		planned = sampler_next(&w.sampler, 0);
		replaced(&w, &w.actor[0]);
		assert_non_null(instant(&w, 0, planned, planned, planned + late));
		assert_int_equal(w.sampler.figures.late, 0);
		planned = sampler_next(&w.sampler, 0);
		replaced(&w, &w.actor[0]);
		assert_null(instant(&w, 0, planned, planned, planned + late + 1));
		/* In 20 ms others have passed, too: 16 of them are counted. */
		assert_int_equal(w.sampler.figures.late, realtime ? 17 : 1);
		assert_int_equal(w.sampler.figures.instants, 1 + w.sampler.figures.late);
		/* The next one is still to come. */
		assert_true(sampler_next(&w.sampler, 0) >= planned + late + 1);
	}
	/* Who was called late for it came at once. */
	w.sampler.realtime = false;
	planned = sampler_next(&w.sampler, 0);
	replaced(&w, &w.actor[0]);
	assert_non_null(instant(&w, 0, planned, planned + 200000, planned + 300000));
	assert_int_equal(w.sampler.figures.late, 17);
	assert_int_equal(w.sampler.figures.instants, 19);
	w.sampler.realtime = true;
	w.sampler.figures = (struct sample_figures){.late = 17, .instants = 18};
	/* Those that the engine could not use. */
	planned = sampler_next(&w.sampler, 0);
	sampler_miss(&w.sampler, 0, planned, false);
	assert_int_equal(w.sampler.figures.late, 18);
	sampler_miss(&w.sampler, 0, sampler_next(&w.sampler, 0), true);
	assert_int_equal(w.sampler.figures.throttled, 1);
	assert_int_equal(w.sampler.figures.instants, 20);
	sampler_release(&w.sampler);
}

static void test_sampler__in_the_fair_class_our_stamp_is_read_before_anything_else(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 1, 1);
	w.sampler.realtime = false;
	assert_null(look(&w, 0));
	assert_int_equal(w.arrivals, 1);
	sampler_release(&w.sampler);
}

/* In real time: it was in a call that is not preempted, and would have been met there. */
static void test_sampler__one_that_kept_us_waiting_weighs_for_all_that_passed(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];
	uint64_t sum = 0;

	(void)state;
	begin(&w, 1, 1);
	a->state = RUNNABLE;
	w.arrived_error = -ENODATA; /* its CPU is proof enough */
	for (unsigned i = 0; i < 2000; i++) {
		uint64_t planned = sampler_next(&w.sampler, 0);

		assert_ptr_equal(instant(&w, 0, planned, planned, planned + MS / 4), &a->sample);
		sum += a->sample.order.weight_ns[0];
	}
	/* A quarter of a period each: a Poisson number, 4.9 standard deviations are 110. */
	assert_in_range(sum / MS, 2500 - 110, 2500 + 110);
	sampler_release(&w.sampler);
}

/* Where wake-ups take long by themselves, in the fair class, three times as long is not late. */
static void test_sampler__a_slow_machine_is_not_late(void **state)
{
	struct world w;
	uint64_t planned;
	unsigned late;

	(void)state;
	begin(&w, 1, 1);
	w.actor[0].state = RUNNABLE;
	w.sampler.realtime = false;
	for (unsigned i = 0; i < 400; i++) { /* from 40 to 115 us, by turns */
		planned = sampler_next(&w.sampler, 0);
		replaced(&w, &w.actor[0]);
		(void)instant(&w, 0, planned, planned, planned + (40 + i % 4 * 25) * US);
	}
	assert_in_range(w.sampler.usual_late_ns, 40 * US, 65 * US);
	for (unsigned us = 110; us <= 220; us += 110) {
		late = us > 200;
		w.sampler.figures = (struct sample_figures){0};
		planned = sampler_next(&w.sampler, 0);
		replaced(&w, &w.actor[0]);
		assert_int_equal(!instant(&w, 0, planned, planned, planned + us * US), late);
		assert_int_equal(w.sampler.figures.late > 0, late);
	}
	/* Nothing is usual that is 0.1 ms or more. */
	for (unsigned i = 0; i < 400; i++) {
		planned = sampler_next(&w.sampler, 0);
		replaced(&w, &w.actor[0]);
		(void)instant(&w, 0, planned, planned, planned + MS);
	}
	assert_int_equal(w.sampler.usual_late_ns, 100 * US);
	sampler_release(&w.sampler);
}

/* Of those that were not met lately each is asked with the same probability, which its weight
 * knows. */
/* Asked are so many as are in 150 us, at what it takes. All weights are those of all instants. */
static void test_sampler__a_random_part_of_the_others_is_asked_and_weighs_for_all(void **state)
{
	enum { THREADS = 192, LOOKS = 4000 };
	static const unsigned ask_ns[] = {1500, 6000}, most_asked[] = {100, 25};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		double found_ns = 0, part = (double)most_asked[i] / THREADS, off;
		struct world w;

		begin(&w, 1, THREADS);
		w.sampler.ask_ns = w.ask_ns = ask_ns[i];
		for (unsigned k = 0; k < LOOKS; k++) {
			/* Added first, met never: the oldest. */
			struct actor *a = (struct actor *)w.sampler.oldest->owner, *t;
			unsigned asked = 0;

			a->state = RUNNABLE;
			replaced(&w, a);
			w.sampler.cpu[0].plan.stream[0].misses = 0;
			t = look(&w, 0);
			a->state = ASLEEP;
			a->run_ns = a->sample.seen.run_ns;
			assert_true(!t || t == a);
			assert_int_equal(w.runnables, 1);
			for (unsigned n = 0; n < THREADS; n++)
				asked += w.actor[n].asked != 0;
			assert_true(asked <= 16 + most_asked[i]);
			found_ns += t ? (double)t->sample.order.weight_ns[0] : 0;
		}
		/* What is found with a probability p weighs 1 / p: 4.9 deviations. */
		off = found_ns / LOOKS / MS - 1;
		assert_true(off * off < 24 * (1 / part - 1) / LOOKS);
		/* Nothing is runnable on the whole machine: nobody is asked for it. */
		w.runnable = 0;
		w.actor[0].state = RUNNABLE;
		(void)look(&w, 0);
		assert_true(w.runnables <= 1);
		sampler_release(&w.sampler);
	}
}

static void test_sampler__where_all_can_be_asked_they_are(void **state)
{
	struct world w;
	struct actor *a;

	(void)state;
	begin(&w, 1, 96);
	w.sampler.ask_ns = 600;
	for (unsigned i = 0; i < 300; i++) {
		a = w.sampler.oldest->owner;
		a->state = RUNNABLE;
		replaced(&w, a);
		assert_ptr_equal(look(&w, 0), a);
		assert_int_equal(a->sample.order.weight_ns[0], MS);
		a->state = ASLEEP;
	}
	sampler_release(&w.sampler);
}

/* Who left a CPU has run since it was asked: the others are not asked what they do. */
static void test_sampler__one_that_has_not_run_since_it_was_asked_is_passed_over(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 1, 3);
	for (unsigned i = 0; i < 3; i++)
		w.actor[i].slices = 1;
	assert_null(look(&w, 0));
	assert_int_equal(w.actor[0].asked + w.actor[1].asked + w.actor[2].asked, 3);
	w.now++;
	w.actor[1].run_ns++;
	assert_null(look(&w, 0));
	assert_int_equal(w.actor[0].asked + w.actor[2].asked, 0);
	assert_int_equal(w.actor[1].asked, 1);
	/* It was asked for an instant of another CPU, when this one had been taken from it. */
	w.actor[2].sample.asked_ns = sampler_next(&w.sampler, 0);
	w.actor[2].state = RUNNABLE;
	w.stamp_ns = w.actor[2].stamp_ns;
	assert_ptr_equal(look(&w, 0), &w.actor[2]);
	sampler_release(&w.sampler);
}

static void test_sampler__those_met_last_are_asked_first_here_before_elsewhere(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 2, 40);
	meet(&w, &w.actor[7], 0, 1);
	w.actor[7].state = ASLEEP;
	meet(&w, &w.actor[9], 1, 1);
	assert_ptr_equal(w.sampler.newest, &w.actor[9].sample);
	assert_ptr_equal(w.sampler.newest->older, &w.actor[7].sample);
	/* On CPU 0 the one that was met there comes first, though another was met later. */
	w.actor[7].state = RUNNABLE;
	replaced(&w, &w.actor[7]);
	assert_ptr_equal(look(&w, 0), &w.actor[7]);
	assert_int_equal(w.stamps, 1);
	assert_int_equal(w.actor[9].asked, 0);
	/* Of forty sixteen count as lately met; no more are asked where all sleep. */
	w.actor[7].state = w.actor[9].state = ASLEEP;
	w.runnable = 0;
	assert_null(look(&w, 0));
	for (unsigned i = 0; i < 40; i++)
		assert_int_equal(w.actor[i].asked, i == 7 || i == 9 || i >= 26);
	sampler_release(&w.sampler);
}

static void test_sampler__a_removed_thread_is_nowhere(void **state)
{
	struct world w;

	(void)state;
	begin(&w, 2, 4);
	meet(&w, &w.actor[1], 0, 8); /* the last one of CPU 0, with an order that is not done */
	meet(&w, &w.actor[3], 1, 1);
	sampler_remove(&w.sampler, &w.actor[1].sample);
	assert_null(w.sampler.cpu[0].last);
	assert_ptr_equal(w.sampler.cpu[1].last, &w.actor[3].sample);
	assert_int_equal(w.sampler.threads, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_ptr_not_equal(w.sampler.thread[i], &w.actor[1].sample);
		assert_int_equal(w.sampler.thread[i]->slot, i);
	}
	memset(&w.actor[1], 0xa5, sizeof(w.actor[1])); /* who looks at it will notice */
	w.actor[0].state = RUNNABLE;
	replaced(&w, &w.actor[0]);
	w.actor[3].state = ASLEEP;
	assert_ptr_equal(look(&w, 0), &w.actor[0]);
	/* The oldest, the newest, the one between. */
	sampler_remove(&w.sampler, &w.actor[2].sample);
	sampler_remove(&w.sampler, &w.actor[0].sample);
	assert_ptr_equal(w.sampler.newest, &w.actor[3].sample);
	assert_ptr_equal(w.sampler.oldest, &w.actor[3].sample);
	sampler_release(&w.sampler);
}

static void test_sampler__each_stream_has_the_weight_of_its_own_slot(void **state)
{
	struct world w;
	struct actor *a = &w.actor[0];
	uint64_t both;

	(void)state;
	begin(&w, 1, 1);
	sampler_set_period(&w.sampler, 2, 3 * MS, 0);
	a->state = RUNNABLE;
	replaced(&w, a);
	both = w.sampler.cpu[0].plan.stream[0].next_ns;
	w.sampler.cpu[0].plan.stream[2].next_ns = both;
	assert_ptr_equal(instant(&w, 0, both, both, both), &a->sample);
	assert_int_equal(a->sample.order.streams, 1 | 1 << 2);
	assert_int_equal(a->sample.order.weight_ns[0], MS);
	assert_int_equal(a->sample.order.weight_ns[1], 0);
	assert_int_equal(a->sample.order.weight_ns[2], 3 * MS);
	/* A table's instant alone is none of the profile. */
	sampler_set_period(&w.sampler, 0, 0, both);
	replaced(&w, a);
	assert_ptr_equal(look(&w, 0), a);
	assert_int_equal(a->sample.order.streams, 1 << 2);
	assert_int_equal(a->sample.order.weight_ns[0], 0);
	assert_int_equal(w.sampler.figures.instants, 1);
	/* One slot of a table is at most four periods long, one of the profile sixteen. */
	sampler_set_period(&w.sampler, 0, MS, w.now);
	a->state = ASLEEP;
	w.stamp_ns++;
	for (unsigned i = 0; i < 1000; i++)
		assert_null(look(&w, 0));
	assert_int_equal(w.sampler.cpu[0].plan.stream[0].span_ns, 16 * MS);
	assert_int_equal(w.sampler.cpu[0].plan.stream[2].span_ns, 12 * MS);
	sampler_release(&w.sampler);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sampler__the_one_with_our_time_stamp_was_replaced),
		cmocka_unit_test(test_sampler__one_that_waits_since_we_came_was_replaced),
		cmocka_unit_test(test_sampler__nobody_is_chosen_whom_we_did_not_replace),
		cmocka_unit_test(
			test_sampler__gone_threads_are_passed_over_wherever_they_are_asked),
		cmocka_unit_test(
			test_sampler__one_that_has_just_gone_to_sleep_is_found_where_it_sleeps),
		cmocka_unit_test(
			test_sampler__who_would_be_setting_a_timer_is_met_though_it_sleeps),
		cmocka_unit_test(
			test_sampler__who_was_woken_on_an_idle_cpu_before_the_instant_is_met),
		cmocka_unit_test(test_sampler__an_instant_while_we_have_the_cpu_is_lost),
		cmocka_unit_test(
			test_sampler__one_that_was_put_on_another_cpu_just_then_was_not_replaced),
		cmocka_unit_test(test_sampler__a_part_of_many_sleepers_is_asked_and_weighs_for_all),
		cmocka_unit_test(test_sampler__without_time_stamps_its_cpu_must_do),
		cmocka_unit_test(test_sampler__a_lone_thread_is_proved_by_how_long_it_waited),
		cmocka_unit_test(test_sampler__one_that_was_alone_and_sleeps_now_hides_nobody),
		cmocka_unit_test(
			test_sampler__one_that_did_not_run_all_the_time_needs_a_time_stamp),
		cmocka_unit_test(test_sampler__an_instant_that_comes_late_is_dropped_and_counted),
		cmocka_unit_test(test_sampler__a_slow_machine_is_not_late),
		cmocka_unit_test(
			test_sampler__in_the_fair_class_our_stamp_is_read_before_anything_else),
		cmocka_unit_test(test_sampler__one_that_kept_us_waiting_weighs_for_all_that_passed),
		cmocka_unit_test(
			test_sampler__a_random_part_of_the_others_is_asked_and_weighs_for_all),
		cmocka_unit_test(test_sampler__where_all_can_be_asked_they_are),
		cmocka_unit_test(
			test_sampler__one_that_has_not_run_since_it_was_asked_is_passed_over),
		cmocka_unit_test(
			test_sampler__those_met_last_are_asked_first_here_before_elsewhere),
		cmocka_unit_test(test_sampler__a_removed_thread_is_nowhere),
		cmocka_unit_test(test_sampler__each_stream_has_the_weight_of_its_own_slot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
