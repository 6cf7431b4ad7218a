/* SPDX-License-Identifier: MIT */
/*
 * Seeds are fixed, so a result is always the same. Statistical limits are the quantiles at which
 * one seed in a million would fail though all is right.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "supervisor/sample/plan.h"

#define MS  UINT64_C(1000000)
#define ONE 1024
/* Chi-square's quantiles at 1e-6. */
#define CHI2_19 64.4
#define CHI2_63 131.7

struct fixture {
	struct plan plan;
	struct plan_random random;
};

static struct fixture begun(uint64_t period_ns, uint64_t now_ns, uint64_t seed)
{
	struct fixture f = {0};

	plan_seed(&f.random, seed);
	plan_set(&f.plan, 0, period_ns, now_ns, &f.random);
	return f;
}

static void advance(struct fixture *f, unsigned stream, bool met, uint64_t now)
{
	plan_advance(&f->plan, stream, met ? PLAN_MET : PLAN_NOBODY, now, ONE, 16, &f->random);
}

static double chi_square(const unsigned *count, size_t n, double expected)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (count[i] - expected) * (count[i] - expected) / expected;
	return sum;
}

static void test_plan__random_numbers_are_uniform_and_below_the_bound(void **state)
{
	enum { DRAWS = 40000, BINS = 20 };
	struct plan_random random;
	unsigned count[BINS] = {0};

	(void)state;
	plan_seed(&random, 0); /* a state of 0 would stay 0 */
	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t x = plan_random(&random, BINS);

		assert_in_range(x, 0, BINS - 1);
		count[x]++;
	}
	assert_true(chi_square(count, BINS, DRAWS / (double)BINS) < CHI2_19);
	assert_int_equal(plan_random(&random, 1), 0);
}

static void test_plan__each_slot_has_one_instant_and_weighs_what_it_is_long(void **state)
{
	struct fixture f = begun(MS, 7 * MS, 1);
	const struct plan_stream *s = &f.plan.stream[0];

	(void)state;
	for (uint64_t k = 0; k < 1000; k++) {
		assert_int_equal(s->slot_ns, (7 + k) * MS);
		assert_int_equal(s->span_ns, MS);
		assert_in_range(s->next_ns, s->slot_ns, s->slot_ns + MS - 1);
		assert_int_equal(plan_next(&f.plan), s->next_ns);
		assert_int_equal(plan_due(&f.plan, s->next_ns - 1), 0);
		assert_int_equal(plan_due(&f.plan, s->next_ns), 1);
		assert_int_equal(plan_weight(&f.plan, 0), MS);
		advance(&f, 0, true, s->next_ns);
	}
}

static void test_plan__instants_are_uniform_within_their_slots(void **state)
{
	enum { DRAWS = 40000, BINS = 20 };
	struct fixture f = begun(MS, 0, 2);
	const struct plan_stream *s = &f.plan.stream[0];
	unsigned count[BINS] = {0};

	(void)state;
	for (unsigned i = 0; i < DRAWS; i++) {
		count[(s->next_ns - s->slot_ns) * BINS / s->span_ns]++;
		advance(&f, 0, true, s->next_ns);
	}
	assert_true(chi_square(count, BINS, DRAWS / (double)BINS) < CHI2_19);
}

/* Where an instant lies tells nothing about where the next one does. */
static void test_plan__instants_of_neighbouring_slots_are_independent(void **state)
{
	enum { DRAWS = 40000, SIDE = 8 };
	struct fixture f = begun(MS, 0, 3);
	const struct plan_stream *s = &f.plan.stream[0];
	unsigned count[SIDE * SIDE] = {0}, before = 0;

	(void)state;
	/* Pairs that do not overlap: the cells are independent. */
	for (unsigned i = 0; i < 2 * DRAWS; i++) {
		unsigned part = (unsigned)((s->next_ns - s->slot_ns) * SIDE / s->span_ns);

		if (i % 2)
			count[before * SIDE + part]++;
		before = part;
		advance(&f, 0, true, s->next_ns);
	}
	assert_true(chi_square(count, SIDE * SIDE, DRAWS / (double)(SIDE * SIDE)) < CHI2_63);
}

static void test_plan__streams_are_independent(void **state)
{
	enum { DRAWS = 40000, SIDE = 8 };
	struct fixture f = begun(MS, 0, 4);
	unsigned count[SIDE * SIDE] = {0};

	(void)state;
	plan_set(&f.plan, 3, MS, 0, &f.random);
	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t a = f.plan.stream[0].next_ns % MS, b = f.plan.stream[3].next_ns % MS;
		uint64_t slot = f.plan.stream[0].slot_ns;

		count[a * SIDE / MS * SIDE + b * SIDE / MS]++;
		assert_int_equal(plan_next(&f.plan), slot + (a < b ? a : b));
		assert_int_equal(plan_due(&f.plan, slot + MS - 1), 1 | 1 << 3);
		advance(&f, 0, true, slot);
		assert_int_equal(f.plan.stream[3].next_ns, slot + b);
		advance(&f, 3, true, slot);
	}
	assert_true(chi_square(count, SIDE * SIDE, DRAWS / (double)(SIDE * SIDE)) < CHI2_63);
}

/*
 * Horvitz and Thompson: the weights that fall into a stretch of code sum up to the time it takes,
 * even if it keeps step with the slots and if their length depends on what was met. Of each 10 ms
 * the code runs for 0.3; each slot's share is a fraction p of it, so its variance is span^2 p (1 -
 * p).
 */
static void test_plan__weights_sum_up_to_the_time_of_the_code(void **state)
{
	struct fixture f = begun(MS, 0, 5);
	const struct plan_stream *s = &f.plan.stream[0];
	const uint64_t end = 200000 * MS;
	double found = 0, truth = (double)end * 0.03, variance = 0;
	uint64_t slots[5] = {0};

	(void)state;
	while (s->slot_ns < end) {
		bool met = s->next_ns % (10 * MS) < 300000;

		found += met ? (double)s->span_ns : 0;
		variance += 0.03 * (double)s->span_ns * (double)s->span_ns;
		slots[__builtin_ctzll(s->span_ns / MS)]++;
		advance(&f, 0, met, s->next_ns);
	}
	assert_true(slots[0] > 1000 && slots[1] > 1000 && slots[4] > 100);
	/* 4.9 standard deviations: one in a million. */
	assert_true((found - truth) * (found - truth) < 4.9 * 4.9 * variance);
}

static void test_plan__slots_become_longer_where_nobody_is_met(void **state)
{
	struct fixture f = begun(MS, 0, 6);
	const struct plan_stream *s = &f.plan.stream[0];
	uint64_t slot = 0;

	(void)state;
	assert_int_equal(plan_stretch(0, 16), 1);
	assert_int_equal(plan_stretch(15, 16), 1);
	assert_int_equal(plan_stretch(16, 16), 2);
	assert_int_equal(plan_stretch(31, 16), 2);
	assert_int_equal(plan_stretch(32, 16), 4);
	assert_int_equal(plan_stretch(128, 16), 16);
	assert_int_equal(plan_stretch(UINT32_MAX, 16), 16);
	assert_int_equal(plan_stretch(UINT32_MAX, 3), 3);
	assert_int_equal(plan_stretch(UINT32_MAX, 1), 1);
	for (unsigned misses = 0; misses < 300; misses++) {
		assert_int_equal(s->slot_ns, slot);
		assert_int_equal(s->span_ns, plan_stretch(misses, 16) * MS);
		assert_in_range(s->next_ns, slot, slot + s->span_ns - 1);
		slot += s->span_ns;
		advance(&f, 0, false, s->next_ns);
	}
	/* The slot that found somebody keeps its length; the next one is short. */
	assert_int_equal(s->span_ns, 16 * MS);
	advance(&f, 0, true, s->next_ns);
	assert_int_equal(s->slot_ns, slot + 16 * MS);
	assert_int_equal(s->span_ns, MS);
	f.plan.stream[0].misses = UINT32_MAX;
	advance(&f, 0, false, s->next_ns);
	assert_int_equal(s->misses, UINT32_MAX);
}

static void test_plan__a_factor_makes_slots_longer_and_never_shorter(void **state)
{
	struct fixture f = begun(MS, 0, 7);
	const struct plan_stream *s = &f.plan.stream[0];

	(void)state;
	plan_advance(&f.plan, 0, PLAN_MET, 0, 3 * ONE / 2, 16, &f.random);
	assert_int_equal(s->slot_ns, MS);
	assert_int_equal(s->span_ns, MS * 3 / 2);
	plan_advance(&f.plan, 0, PLAN_MET, 0, ONE / 2, 16, &f.random);
	assert_int_equal(s->slot_ns, MS * 5 / 2);
	assert_int_equal(s->span_ns, MS);
	/* No overflow: a second, a factor of a million. */
	plan_set(&f.plan, 0, 1000 * MS, 0, &f.random);
	plan_advance(&f.plan, 0, PLAN_MET, 0, UINT64_C(1000000) * ONE, 16, &f.random);
	assert_int_equal(s->span_ns, 1000 * MS * 1000000);
}

static void test_plan__slots_that_have_passed_are_left_out(void **state)
{
	struct fixture f = begun(MS, 0, 8);
	const struct plan_stream *s = &f.plan.stream[0];

	(void)state;
	/* The next slot ends just when we look: it has passed wholly. */
	advance(&f, 0, true, 2 * MS);
	assert_int_equal(s->lost_ns, MS);
	assert_int_equal(s->slot_ns, 2 * MS);
	/* Seven whole ones, and a half that is still to come. */
	advance(&f, 0, true, 10 * MS + MS / 2);
	assert_int_equal(s->lost_ns, 7 * MS);
	assert_int_equal(plan_weight(&f.plan, 0), 8 * MS);
	assert_int_equal(s->slot_ns, 10 * MS);
	assert_int_equal(s->span_ns, MS);
	assert_in_range(s->next_ns, 10 * MS + MS / 2, 11 * MS - 1);
	/* Not one instant lies in the past. */
	for (uint64_t k = 11; k < 2000; k++) {
		advance(&f, 0, true, k * MS + 999999);
		assert_int_equal(s->lost_ns, 0);
		assert_int_equal(s->next_ns, k * MS + 999999);
	}
}

static void test_plan__the_next_sample_weighs_for_what_was_lost(void **state)
{
	struct fixture f = begun(MS, 0, 11);
	const struct plan_stream *s = &f.plan.stream[0];

	(void)state;
	for (unsigned i = 1; i <= 3; i++) {
		plan_advance(&f.plan, 0, PLAN_LOST, s->next_ns, ONE, 16, &f.random);
		assert_int_equal(plan_weight(&f.plan, 0), (1 + i) * MS);
		assert_int_equal(s->misses, 0);
	}
	/* One that met nobody stands for them too. */
	advance(&f, 0, false, s->next_ns);
	assert_int_equal(plan_weight(&f.plan, 0), MS);
	/* But not for all of a long time. */
	advance(&f, 0, true, 1000 * MS);
	assert_int_equal(plan_weight(&f.plan, 0), 17 * MS);
}

static void test_plan__time_that_was_ours_moves_the_slots(void **state)
{
	struct fixture f = begun(MS, 0, 9), before;

	(void)state;
	plan_set(&f.plan, 2, 3 * MS, 0, &f.random);
	before = f;
	plan_shift(&f.plan, 12345);
	plan_shift_tables(&f.plan, 12345);
	for (unsigned i = 0; i < 3; i += 2) {
		assert_int_equal(f.plan.stream[i].slot_ns, before.plan.stream[i].slot_ns + 12345);
		assert_int_equal(f.plan.stream[i].next_ns, before.plan.stream[i].next_ns + 12345);
		assert_int_equal(f.plan.stream[i].span_ns, before.plan.stream[i].span_ns);
	}
	/* One that is not in use stays as it is. */
	assert_memory_equal(&f.plan.stream[1], &before.plan.stream[1], sizeof(f.plan.stream[1]));
}

static void test_plan__a_stream_begins_changes_and_ends(void **state)
{
	struct fixture f = {0}, before;
	const struct plan_stream *s = &f.plan.stream[1];

	(void)state;
	plan_seed(&f.random, 10);
	assert_true(plan_next(&f.plan) == PLAN_NEVER);
	assert_int_equal(plan_due(&f.plan, UINT64_MAX), 0);
	plan_set(&f.plan, 1, MS, 5 * MS, &f.random);
	assert_in_range(s->next_ns, 5 * MS, 6 * MS - 1);
	/* The same period again: the slot goes on. */
	before = f;
	plan_set(&f.plan, 1, MS, 5 * MS + 1, &f.random);
	assert_memory_equal(&f, &before, sizeof(f));
	/* Another one: from now on. */
	f.plan.stream[1].misses = 99;
	plan_set(&f.plan, 1, 4 * MS, 5 * MS + 1, &f.random);
	assert_int_equal(s->slot_ns, 5 * MS + 1);
	assert_int_equal(s->span_ns, 4 * MS);
	assert_int_equal(s->misses, 0);
	plan_set(&f.plan, 1, 0, 6 * MS, &f.random);
	assert_true(plan_next(&f.plan) == PLAN_NEVER);
	assert_int_equal(plan_due(&f.plan, UINT64_MAX), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plan__random_numbers_are_uniform_and_below_the_bound),
		cmocka_unit_test(test_plan__each_slot_has_one_instant_and_weighs_what_it_is_long),
		cmocka_unit_test(test_plan__instants_are_uniform_within_their_slots),
		cmocka_unit_test(test_plan__instants_of_neighbouring_slots_are_independent),
		cmocka_unit_test(test_plan__streams_are_independent),
		cmocka_unit_test(test_plan__weights_sum_up_to_the_time_of_the_code),
		cmocka_unit_test(test_plan__slots_become_longer_where_nobody_is_met),
		cmocka_unit_test(test_plan__a_factor_makes_slots_longer_and_never_shorter),
		cmocka_unit_test(test_plan__slots_that_have_passed_are_left_out),
		cmocka_unit_test(test_plan__the_next_sample_weighs_for_what_was_lost),
		cmocka_unit_test(test_plan__time_that_was_ours_moves_the_slots),
		cmocka_unit_test(test_plan__a_stream_begins_changes_and_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
