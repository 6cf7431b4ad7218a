/* SPDX-License-Identifier: MIT */
/* Weights and CPU times go in; each stack's time, and the time that no stack gets, come out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyst/settle.h"

enum { MS = 1000000 };

static void begin(struct shares *shares, bool per_process)
{
	assert_int_equal(shares_init(shares, per_process), 0);
}

static void image(struct shares *shares, uint32_t pid, const char *path)
{
	assert_int_equal(shares_process(shares, pid, 0), 0);
	assert_int_equal(shares_exec(shares, pid, path), 0);
}

static void sample(struct shares *shares, uint32_t pid, uint32_t tid, uint32_t stack,
	uint64_t weight, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(shares_sample(shares, pid, tid, stack, weight), 0);
}

static void cpu(struct shares *shares, uint32_t pid, uint32_t tid, uint64_t ns, bool last)
{
	assert_int_equal(shares_cpu(shares, pid, tid, ns, last), 0);
}

struct outcome {
	uint64_t stack[64], rest, sum;
	struct settled settled;
};

static struct outcome outcome_of(const struct shares *shares)
{
	struct outcome o = {0};

	assert_int_equal(settle(shares, &o.settled), 0);
	for (uint32_t i = 0; i < 64; i++)
		o.sum += o.stack[i] = settled_cpu_ns(&o.settled, i);
	for (size_t i = 0; i < o.settled.rests; i++)
		o.rest += o.settled.rest[i].cpu_ns;
	o.sum += o.rest;
	return o;
}

static void end(struct shares *shares, struct outcome *outcome)
{
	settled_release(&outcome->settled);
	shares_release(shares);
}

static void test_shares__time_goes_by_weight(void **state)
{
	struct shares s;
	struct outcome o;

	(void)state;
	begin(&s, false);
	image(&s, 7, "/bin/a");
	sample(&s, 7, 7, 0, 4 * MS, 30);
	sample(&s, 7, 7, 1, 12 * MS, 10); /* rarer, so of larger weight */
	cpu(&s, 7, 7, 150 * MS, false);
	cpu(&s, 7, 7, 50 * MS, false);
	o = outcome_of(&s);
	assert_int_equal(o.stack[0], 100 * MS);
	assert_int_equal(o.stack[1], 100 * MS);
	assert_int_equal(o.rest, 0);
	/* Settling works on a copy: the accounts go on. */
	settled_release(&o.settled);
	cpu(&s, 7, 7, 200 * MS, true);
	o = outcome_of(&s);
	assert_int_equal(o.stack[0], 200 * MS);
	end(&s, &o);
}

static void test_shares__sums_are_exact_to_the_nanosecond(void **state)
{
	struct shares s;
	struct outcome o;

	(void)state;
	begin(&s, false);
	image(&s, 7, "/bin/a");
	for (uint32_t i = 0; i < 60; i++)
		sample(&s, 7, 7 + i % 2, i, 3999999 + 7 * i, 1);
	cpu(&s, 7, 7, 1000000007, true);
	cpu(&s, 7, 8, 10, false);
	o = outcome_of(&s);
	assert_int_equal(o.sum, 1000000017);
	assert_int_equal(o.rest, 0);
	/* Each of the stacks 0, 2 … 58 of thread 7 gets its part within a nanosecond. */
	assert_in_range(o.stack[0], UINT64_C(1000000007) * 3999999 / (30 * (3999999 + 7 * 29)),
		UINT64_C(1000000007) * 3999999 / (30 * (3999999 + 7 * 29)) + 1);
	end(&s, &o);
}

/* Products of years of time and weight need 128 bits. */
static void test_shares__large_sums_do_not_wrap(void **state)
{
	const uint64_t years = UINT64_C(10) * 365 * 86400 * 1000000000;
	struct shares s;
	struct outcome o;

	(void)state;
	begin(&s, false);
	image(&s, 7, "/bin/a");
	sample(&s, 7, 7, 0, years / 40, 30);
	sample(&s, 7, 7, 1, years / 40, 10);
	cpu(&s, 7, 7, years, true);
	o = outcome_of(&s);
	assert_true(o.stack[0] == years / 4 * 3);
	assert_true(o.sum == years);
	end(&s, &o);
}

static void test_shares__threads_with_few_samples_are_pooled_in_their_process(void **state)
{
	struct shares s;
	struct outcome o;

	(void)state;
	begin(&s, false);
	image(&s, 7, "/bin/a");
	sample(&s, 7, 1, 1, MS, 20); /* enough samples for an account of its own */
	sample(&s, 7, 2, 2, MS, 19);
	sample(&s, 7, 3, 3, MS, 1);
	cpu(&s, 7, 1, 10 * MS, false);
	cpu(&s, 7, 2, 30 * MS, true);
	cpu(&s, 7, 3, 5 * MS, false);
	cpu(&s, 7, 4, 5 * MS, true); /* thread 4 has no sample */
	o = outcome_of(&s);
	assert_int_equal(o.stack[1], 10 * MS);
	assert_int_equal(o.stack[2], 38 * MS); /* 19 of 20 samples share 40 ms */
	assert_int_equal(o.stack[3], 2 * MS);
	assert_int_equal(o.rest, 0);
	end(&s, &o);
}

static void test_shares__processes_with_few_samples_are_pooled_in_their_executable(void **state)
{
	struct shares s;
	struct outcome o;

	(void)state;
	begin(&s, false);
	for (uint32_t pid = 10; pid < 14; pid++) {
		image(&s, pid, pid == 13 ? "/bin/b" : "/bin/a");
		sample(&s, pid, pid, pid, MS, pid == 12 ? 0 : 2);
		cpu(&s, pid, pid, 6 * MS, true);
		if (pid != 11)
			assert_int_equal(shares_exit(&s, pid), 0);
	}
	o = outcome_of(&s);
	/* /bin/a used 18 ms in 10, 11 and 12. All its samples are in 10 and 11, half each. */
	assert_int_equal(o.stack[10], 9 * MS);
	assert_int_equal(o.stack[11], 9 * MS);
	assert_int_equal(o.stack[13], 6 * MS);
	end(&s, &o);
}

static void test_shares__what_was_never_met_is_left_to_its_executable(void **state)
{
	struct shares s;
	struct outcome o;

	(void)state;
	begin(&s, false);
	image(&s, 7, "/bin/a");
	image(&s, 8, "/bin/b");
	image(&s, 9, "/bin/b");
	sample(&s, 7, 7, 0, MS, 1);
	cpu(&s, 7, 7, 3 * MS, true);
	cpu(&s, 8, 8, 4 * MS, true);
	cpu(&s, 9, 9, 5 * MS, false);
	o = outcome_of(&s);
	assert_int_equal(o.stack[0], 3 * MS);
	assert_int_equal(o.settled.rests, 1);
	assert_int_equal(o.rest, 9 * MS);
	assert_int_equal(o.settled.rest[0].pid, 0);
	assert_string_equal(s.executable[o.settled.rest[0].executable].path, "/bin/b");
	end(&s, &o);
}

static void test_shares__per_process_nothing_leaves_its_process(void **state)
{
	struct shares s;
	struct outcome o;

	(void)state;
	begin(&s, true);
	image(&s, 7, "/bin/a");
	image(&s, 8, "/bin/a");
	image(&s, 9, "/bin/a");
	sample(&s, 7, 7, 0, MS, 1);
	cpu(&s, 7, 7, 3 * MS, true);
	cpu(&s, 7, 17, 1 * MS, true);
	assert_int_equal(shares_exit(&s, 7), 0);
	cpu(&s, 8, 8, 4 * MS, true);
	assert_int_equal(shares_exit(&s, 8), 0);
	cpu(&s, 9, 9, 5 * MS, true);
	o = outcome_of(&s);
	assert_int_equal(o.stack[0], 4 * MS);
	assert_int_equal(o.settled.rests, 2);
	assert_int_equal(o.settled.rest[0].pid, 8);
	assert_int_equal(o.settled.rest[0].cpu_ns, 4 * MS);
	assert_int_equal(o.settled.rest[1].pid, 9);
	assert_int_equal(o.settled.rest[1].cpu_ns, 5 * MS);
	end(&s, &o);
}

/* Two threads, one after the other, have the same tid and both stack 1. */
static void test_shares__a_tid_that_comes_again_is_another_thread(void **state)
{
	struct shares s;
	struct outcome o;

	(void)state;
	begin(&s, false);
	image(&s, 7, "/bin/a");
	sample(&s, 7, 8, 0, MS, 20);
	sample(&s, 7, 8, 1, MS, 20);
	cpu(&s, 7, 8, 40 * MS, true);
	sample(&s, 7, 8, 1, MS, 20);
	cpu(&s, 7, 8, 5 * MS, true);
	o = outcome_of(&s);
	assert_int_equal(o.stack[0], 20 * MS);
	assert_int_equal(o.stack[1], 25 * MS);
	end(&s, &o);
}

static void test_shares__an_exec_begins_anew(void **state)
{
	struct shares s;
	struct outcome o;

	(void)state;
	begin(&s, false);
	image(&s, 7, "/bin/sh");
	assert_int_equal(shares_process(&s, 9, 7), 0); /* fork: the child runs /bin/sh, too */
	sample(&s, 9, 9, 0, MS, 1);
	cpu(&s, 9, 9, 2 * MS, true);
	assert_int_equal(shares_exec(&s, 9, "/bin/ls"), 0);
	cpu(&s, 9, 9, 3 * MS, true);
	cpu(&s, 7, 7, 1 * MS, false);
	o = outcome_of(&s);
	assert_int_equal(o.stack[0], 3 * MS); /* includes the shell's own time */
	assert_int_equal(o.settled.rests, 1);
	assert_string_equal(s.executable[o.settled.rest[0].executable].path, "/bin/ls");
	assert_int_equal(o.rest, 3 * MS);
	end(&s, &o);
}

static void test_shares__without_any_time_the_weights_stand(void **state)
{
	struct shares s;
	struct outcome o;

	(void)state;
	begin(&s, false);
	image(&s, 7, "/bin/a");
	sample(&s, 7, 7, 0, 4 * MS, 3);
	sample(&s, 7, 8, 1, 4 * MS, 2);
	cpu(&s, 7, 8, 9 * MS, false);
	o = outcome_of(&s);
	assert_int_equal(o.stack[0], 12 * MS);
	assert_int_equal(o.stack[1], 9 * MS);
	settled_release(&o.settled);
	/* The process ends without more CPU time. */
	assert_int_equal(shares_exit(&s, 7), 0);
	o = outcome_of(&s);
	assert_int_equal(o.stack[0], 12 * MS);
	assert_int_equal(o.stack[1], 9 * MS);
	end(&s, &o);
}

static void test_shares__a_view_is_told_factors(void **state)
{
	struct shares s;
	struct outcome o;

	(void)state;
	begin(&s, false);
	image(&s, 7, "/bin/a");
	sample(&s, 7, 7, 0, MS, 40);
	cpu(&s, 7, 7, 30 * MS, false);
	sample(&s, 7, 7, 1, MS, 40); /* its CPU time is reported later */
	sample(&s, 7, 8, 2, MS, 1);
	o = outcome_of(&s);
	assert_true(settled_factor(&o.settled, 0) == 0.75);
	assert_true(settled_factor(&o.settled, 1) == 0.75);
	assert_true(settled_factor(&o.settled, 2) == 1);
	assert_true(settled_factor(&o.settled, 63) == 1);
	end(&s, &o);
}

/*
 * Of 200,000 processes that have ended, those with a sample (half) take 32 bytes each, and 16 for
 * each stack. The others are pooled in their two executables.
 */
static void test_shares__a_storm_takes_little(void **state)
{
	struct shares s;
	struct outcome o;

	(void)state;
	begin(&s, false);
	for (uint32_t i = 0; i < 200000; i++) {
		uint32_t pid = 1000 + i;

		image(&s, pid, i % 4 < 2 ? "/bin/a" : "/bin/b");
		if (i % 2)
			sample(&s, pid, pid, i % 64, MS, 1);
		cpu(&s, pid, pid, MS / 2, true);
		assert_int_equal(shares_exit(&s, pid), 0);
	}
	assert_int_equal(s.processes, 0);
	assert_in_range(s.pools, 100000, 100010);
	assert_int_equal(sizeof(struct share_pool), 32);
	assert_int_equal(sizeof(struct share_entry), 16);
	o = outcome_of(&s);
	assert_int_equal(o.sum, 200000 * (uint64_t)MS / 2);
	assert_int_equal(o.rest, 0);
	end(&s, &o);
}

/*
 * Samples left out (--user-only) take no entries, but get their part of the time of accounts
 * of their own and of pools.
 */
static void test_shares__samples_left_out_have_no_list(void **state)
{
	struct shares s;
	struct outcome o;

	(void)state;
	begin(&s, false);
	image(&s, 7, "/bin/a");
	sample(&s, 7, 7, 0, MS, 30);
	for (uint32_t tid = 100; tid < 700; tid++) {
		sample(&s, 7, tid, SHARES_LEFT_OUT, MS, 1);
		cpu(&s, 7, tid, 2 * MS, tid % 2);
		sample(&s, 7, 7, SHARES_LEFT_OUT, MS, 1);
	}
	cpu(&s, 7, 7, 1260 * MS, true);
	assert_int_equal(s.entries, 1);
	o = outcome_of(&s);
	assert_int_equal(o.stack[0], 60 * MS);
	assert_int_equal(o.rest, 0);
	assert_int_equal(settled_cpu_ns(&o.settled, SHARES_LEFT_OUT), 2400 * (uint64_t)MS);
	end(&s, &o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares__time_goes_by_weight),
		cmocka_unit_test(test_shares__sums_are_exact_to_the_nanosecond),
		cmocka_unit_test(test_shares__large_sums_do_not_wrap),
		cmocka_unit_test(test_shares__threads_with_few_samples_are_pooled_in_their_process),
		cmocka_unit_test(
			test_shares__processes_with_few_samples_are_pooled_in_their_executable),
		cmocka_unit_test(test_shares__what_was_never_met_is_left_to_its_executable),
		cmocka_unit_test(test_shares__per_process_nothing_leaves_its_process),
		cmocka_unit_test(test_shares__a_tid_that_comes_again_is_another_thread),
		cmocka_unit_test(test_shares__an_exec_begins_anew),
		cmocka_unit_test(test_shares__without_any_time_the_weights_stand),
		cmocka_unit_test(test_shares__a_view_is_told_factors),
		cmocka_unit_test(test_shares__a_storm_takes_little),
		cmocka_unit_test(test_shares__samples_left_out_have_no_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
