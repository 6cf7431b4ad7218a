/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "supervisor/sample/clock.h"

#define MS UINT64_C(1000000)

static void test_clock__gaps_are_jittered_around_the_period(void **state)
{
	struct wakeups w;
	uint64_t least = UINT64_MAX, most = 0, start;
	unsigned quarter[4] = {0};

	(void)state;
	wakeups_init(&w, MS, 0, 42);
	start = w.next_ns;
	for (unsigned i = 0; i < 100000; i++) {
		uint64_t before = w.next_ns, gap;

		wakeups_advance(&w, before, w.period_ns, 1);
		gap = w.next_ns - before;
		least = gap < least ? gap : least;
		most = gap > most ? gap : most;
		quarter[w.next_ns % MS * 4 / MS]++;
	}
	assert_in_range(least, MS * 3 / 4, MS * 76 / 100);
	assert_in_range(most, MS * 124 / 100, MS * 5 / 4);
	/* The mean is one period: its standard error is 0.144/sqrt(100000) = 0.05 %. */
	assert_in_range((w.next_ns - start) / 100000, MS * 997 / 1000, MS * 1003 / 1000);
	/* Each phase of a timer of the same period is met: no lockstep. */
	for (unsigned i = 0; i < 4; i++)
		assert_in_range(quarter[i], 15000, 35000);
}

static void test_clock__late_wakeups_are_left_out(void **state)
{
	struct wakeups w;

	(void)state;
	wakeups_init(&w, MS, 0, 7);
	wakeups_advance(&w, 100 * MS, w.period_ns, 1);
	assert_in_range(w.next_ns, 100 * MS + 1, 101 * MS);
}

static void test_clock__parts_of_a_period(void **state)
{
	uint64_t least = UINT64_MAX, most = 0, start, wholes = 0;
	struct wakeups w;

	(void)state;
	wakeups_init(&w, MS, 100 * MS, 7);
	start = w.next_ns;
	for (unsigned i = 0; i < 10000; i++) {
		uint64_t before = w.next_ns;

		wakeups_advance(&w, before, w.period_ns, 4);
		least = w.next_ns - before < least ? w.next_ns - before : least;
		most = w.next_ns - before > most ? w.next_ns - before : most;
		wholes += w.next_ns == w.whole_ns;
	}
	/* Half a part before the whole one there is none any more. */
	assert_in_range(least, MS / 8, MS * 15 / 100);
	assert_in_range(most, MS * 35 / 100, MS * 7 / 16);
	assert_in_range((w.next_ns - start) / 10000, MS * 23 / 100, MS * 27 / 100);
	assert_in_range((w.next_ns - start) / wholes, MS * 99 / 100, MS * 101 / 100);
	/* With very many it does not become a spin. */
	start = w.next_ns;
	for (unsigned i = 0; i < 1000; i++)
		wakeups_advance(&w, w.next_ns, w.period_ns, 1000000);
	assert_in_range((w.next_ns - start) / 1000, MS * 48 / 1000, MS * 54 / 1000);
}

/* An extra one, where the moment was wrong, does not put off those that follow. */
static void test_clock__extra_ones_change_nothing(void **state)
{
	struct wakeups w;
	uint64_t start;

	(void)state;
	wakeups_init(&w, MS, 0, 7);
	start = w.next_ns;
	for (unsigned i = 0; i < 10000; i++) {
		uint64_t done = w.next_ns;

		wakeups_advance(&w, done, w.period_ns, 5);
		assert_true(w.next_ns < w.whole_ns);
		while (w.next_ns < w.whole_ns)
			wakeups_advance(&w, w.next_ns, w.period_ns, 1);
	}
	assert_in_range((w.next_ns - start) / 10000, MS * 99 / 100, MS * 101 / 100);
	/* A shorter period begins at once. */
	w.period_ns = MS / 10;
	wakeups_advance(&w, w.next_ns, w.period_ns, 1);
	start = w.next_ns;
	wakeups_advance(&w, w.next_ns, w.period_ns, 1);
	assert_in_range(w.next_ns - start, MS * 7 / 100, MS * 13 / 100);
}

static void test_clock__restless_for_a_while(void **state)
{
	struct cpu_time cpu = {.slices = 10};
	struct credit c;

	(void)state;
	credit_begin(&c, &cpu, 1000 * MS, 4 * MS, 0);
	assert_false(credit_restless(&c, 1000 * MS));
	/* A wake-up, a stop, a neighbour: that is no sleeper. */
	cpu.slices += 3;
	(void)credit_see(&c, &cpu, 1001 * MS);
	assert_false(credit_restless(&c, 1001 * MS));
	cpu.slices += 4;
	(void)credit_see(&c, &cpu, 1002 * MS);
	assert_true(credit_restless(&c, 1002 * MS));
	(void)credit_see(&c, &cpu, 1003 * MS);
	assert_true(credit_restless(&c, 1003 * MS));
	assert_false(credit_restless(&c, 1022 * MS));
}

static void test_clock__seed_zero_still_varies(void **state)
{
	struct wakeups w;

	(void)state;
	wakeups_init(&w, MS, 0, 0);
	assert_int_not_equal(wakeups_random(&w, 1 << 30), wakeups_random(&w, 1 << 30));
	for (unsigned i = 0; i < 1000; i++)
		assert_in_range(wakeups_random(&w, 3), 0, 2);
}

static void test_clock__credit_is_what_ran_and_was_not_paid(void **state)
{
	struct credit c;
	struct cpu_time cpu = {.run_ns = 5 * MS};

	(void)state;
	credit_begin(&c, &cpu, 1000 * MS, 4 * MS, 0);
	cpu.run_ns = 8 * MS;
	assert_int_equal(credit_settle(&c, &cpu, 1003 * MS), 3 * MS);
	credit_pay(&c, 3 * MS, 3 * MS, 4 * MS);
	assert_int_equal(credit_settle(&c, &cpu, 1004 * MS), 0);
	cpu.run_ns = 9 * MS;
	assert_int_equal(credit_settle(&c, &cpu, 1005 * MS), MS);
	/* Not paid: it stays. */
	cpu.run_ns = 10 * MS;
	assert_int_equal(credit_settle(&c, &cpu, 1006 * MS), 2 * MS);
}

static void test_clock__newborn_owes_after_its_phase(void **state)
{
	struct credit c;
	const struct cpu_time cpu = {0};

	(void)state;
	credit_begin(&c, &cpu, 0, 4 * MS, 0);
	assert_int_equal(c.due_ns, 4 * MS);
	credit_begin(&c, &cpu, 0, 4 * MS, 3 * MS);
	assert_int_equal(c.due_ns, MS);
}

static void test_clock__estimate_grows_by_at_most_a_scheduler_tick(void **state)
{
	struct credit c;
	struct cpu_time cpu = {.run_ns = 100 * MS, .slices = 3};

	(void)state;
	credit_begin(&c, &cpu, 0, MS, 0);
	assert_int_equal(credit_estimate(&c, 2 * MS, 4 * MS), 2 * MS);
	assert_int_equal(credit_estimate(&c, 50 * MS, 4 * MS), 4 * MS);
	/* It is read again, has moved, and was put on a CPU anew: from there on. */
	cpu.run_ns = 107 * MS;
	cpu.slices++;
	assert_true(credit_see(&c, &cpu, 10 * MS));
	assert_int_equal(credit_estimate(&c, 10 * MS, 4 * MS), 7 * MS);
	assert_false(credit_see(&c, &cpu, 11 * MS));
	assert_int_equal(credit_estimate(&c, 11 * MS, 4 * MS), 8 * MS);
	/* On its CPU all the while: what the tick of 2 ms ago brought up to date is 2 ms old. */
	cpu.run_ns = 110 * MS;
	assert_true(credit_see(&c, &cpu, 15 * MS));
	assert_int_equal(credit_estimate(&c, 15 * MS, 4 * MS), 12 * MS);
}

static void test_clock__on_cpu_while_it_moves(void **state)
{
	struct credit c;
	struct cpu_time cpu = {.run_ns = 1};

	(void)state;
	credit_begin(&c, &cpu, 0, MS, 0);
	assert_true(credit_on_cpu(&c, 5 * MS, 4 * MS));
	assert_false(credit_on_cpu(&c, 6 * MS, 4 * MS));
	cpu.run_ns = 2;
	(void)credit_see(&c, &cpu, 6 * MS);
	assert_true(credit_on_cpu(&c, 11 * MS, 4 * MS));
	/* Put on a CPU again, without any run time yet, counts as well. */
	cpu.slices++;
	(void)credit_see(&c, &cpu, 20 * MS);
	assert_true(credit_on_cpu(&c, 21 * MS, 4 * MS));
}

static void test_clock__overdue_after_three_periods_of_its_own(void **state)
{
	struct credit c;
	struct cpu_time cpu = {.run_ns = 10 * MS};

	(void)state;
	credit_begin(&c, &cpu, 0, MS, 0);
	cpu.run_ns = 13 * MS - 1;
	(void)credit_see(&c, &cpu, 50 * MS);
	assert_false(credit_overdue(&c, MS));
	cpu.run_ns = 13 * MS;
	(void)credit_see(&c, &cpu, 51 * MS);
	assert_true(credit_overdue(&c, MS));
	/* A stop ends it, paid or not. */
	(void)credit_settle(&c, &cpu, 52 * MS);
	assert_false(credit_overdue(&c, MS));
}

static void test_clock__latest_arrival_is_hotter(void **state)
{
	struct credit a, b;
	struct cpu_time cpu = {.run_ns = 0, .slices = 1};

	(void)state;
	credit_begin(&a, &cpu, 0, MS, 0);
	credit_begin(&b, &cpu, 0, MS, 0);
	cpu.slices = 2;
	(void)credit_see(&a, &cpu, MS);
	assert_true(credit_is_hotter(&a, &b));
	assert_false(credit_is_hotter(&b, &a));
	/* Both came since the last look, and b has left already: it has run. */
	cpu.run_ns = 5000;
	(void)credit_see(&b, &cpu, MS);
	assert_true(credit_is_hotter(&a, &b));
	assert_false(credit_is_hotter(&b, &a));
}

/*
 * A thread that gets 60 % of a CPU, looked at every period: its ticks must come to one a period of
 * its CPU time, not to one a look.
 */
static void test_clock__ticks_are_one_a_period_of_cpu_time(void **state)
{
	struct credit c;
	struct cpu_time cpu = {0};
	struct wakeups w;
	uint64_t now = 0, ticks = 0;

	(void)state;
	wakeups_init(&w, MS, 0, 5);
	credit_begin(&c, &cpu, 0, MS, 0);
	while (cpu.run_ns < 10000 * MS) {
		uint64_t before = now, credit;

		now = w.next_ns;
		wakeups_advance(&w, now, w.period_ns, 1);
		cpu.run_ns += (now - before) * 6 / 10;
		credit = credit_settle(&c, &cpu, now);
		if (credit < c.due_ns)
			continue;
		credit_pay(&c, credit, credit_share(&c, credit, MS), MS);
		ticks++;
	}
	assert_in_range(ticks, 9500, 10500);
}

/* Weights of the four quarters of bursts of @burst_ns, in thousandths; returns what is not paid at
 * the end. */
static uint64_t weigh_quarters(
	uint64_t burst_ns, uint64_t period, unsigned bursts, uint64_t thousandths[4])
{
	uint64_t now = period, sum = 0, weight[4] = {0}, run = 0;
	struct cpu_time cpu = {0};
	struct wakeups w;
	struct credit c;

	wakeups_init(&w, period, now, 11);
	credit_begin(&c, &cpu, now, period, 0);
	for (unsigned i = 0; i < bursts; i++) {
		now += 2 * period + wakeups_random(&w, 5 * period);
		while (w.next_ns < now)
			wakeups_advance(&w, w.next_ns, period, 1);
		for (; w.next_ns < now + burst_ns; wakeups_advance(&w, w.next_ns, period, 1)) {
			uint64_t done = w.next_ns - now, credit, paid;

			cpu.run_ns = run + done;
			credit = credit_settle(&c, &cpu, w.next_ns);
			if (credit < c.due_ns)
				continue;
			paid = credit_share(&c, credit, period);
			credit_pay(&c, credit, paid, period);
			weight[4 * done / burst_ns] += paid;
			sum += paid;
		}
		now += burst_ns;
		run += burst_ns;
	}
	for (unsigned i = 0; i < 4; i++)
		thousandths[i] = 1000 * weight[i] / sum;
	cpu.run_ns = run;
	/* Nothing is paid twice, and nothing is forgotten. */
	assert_int_equal(sum + credit_settle(&c, &cpu, now), run);
	return run - sum;
}

/* (When each sample paid all that there was, 4 ms at 250 Hz had 152, 220, 309 and 319.) */
static void test_credit__each_part_of_a_burst_has_its_weight(void **state)
{
	static const unsigned quarters[] = {1, 2, 4, 6, 8, 12, 20, 80};

	(void)state;
	for (const unsigned *i = quarters; i < quarters + sizeof(quarters) / sizeof(*quarters);
		i++) {
		uint64_t of[4], unpaid = weigh_quarters(*i * MS, 4 * MS, 40000 / *i, of);

		for (unsigned k = 0; k < 4; k++)
			assert_in_range(of[k], 210, 290);
		assert_in_range(unpaid, 0, 32 * MS);
	}
}

static void test_credit__load_is_that_of_the_last_tenth_of_a_second(void **state)
{
	struct cpu_time cpu = {0};
	struct credit c;
	uint64_t now = 1000 * MS;

	(void)state;
	credit_begin(&c, &cpu, now, 4 * MS, 0);
	/* Three quarters of a second's readings, however far apart they are. */
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t apart = (1 + i % 7) * MS;

		now += apart;
		cpu.run_ns += apart * 3 / 4;
		(void)credit_see(&c, &cpu, now);
		assert_true(c.load <= CREDIT_LOAD_WHOLE);
	}
	assert_in_range(c.load, CREDIT_LOAD_WHOLE * 74 / 100, CREDIT_LOAD_WHOLE * 75 / 100);
	/* One long sleep, or work on another CPU that was accounted late. */
	now += 5000 * MS;
	(void)credit_see(&c, &cpu, now);
	assert_int_equal(c.load, 0);
	cpu.run_ns += 30 * MS;
	now += 10 * MS;
	(void)credit_see(&c, &cpu, now);
	assert_in_range(c.load, CREDIT_LOAD_WHOLE / 10 - 1, CREDIT_LOAD_WHOLE / 10);
	(void)credit_see(&c, &cpu, now); /* at the same time */
	assert_in_range(c.load, CREDIT_LOAD_WHOLE / 10 - 1, CREDIT_LOAD_WHOLE / 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_credit__each_part_of_a_burst_has_its_weight),
		cmocka_unit_test(test_credit__load_is_that_of_the_last_tenth_of_a_second),
		cmocka_unit_test(test_clock__gaps_are_jittered_around_the_period),
		cmocka_unit_test(test_clock__late_wakeups_are_left_out),
		cmocka_unit_test(test_clock__parts_of_a_period),
		cmocka_unit_test(test_clock__extra_ones_change_nothing),
		cmocka_unit_test(test_clock__restless_for_a_while),
		cmocka_unit_test(test_clock__seed_zero_still_varies),
		cmocka_unit_test(test_clock__credit_is_what_ran_and_was_not_paid),
		cmocka_unit_test(test_clock__newborn_owes_after_its_phase),
		cmocka_unit_test(test_clock__estimate_grows_by_at_most_a_scheduler_tick),
		cmocka_unit_test(test_clock__on_cpu_while_it_moves),
		cmocka_unit_test(test_clock__overdue_after_three_periods_of_its_own),
		cmocka_unit_test(test_clock__latest_arrival_is_hotter),
		cmocka_unit_test(test_clock__ticks_are_one_a_period_of_cpu_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
