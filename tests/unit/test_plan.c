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
#define CHI2_99 180.2

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

static void test_plan__an_instant_weighs_the_span_that_was_fixed_before(void **state)
{
	struct fixture f = begun(MS, 7 * MS, 1);
	const struct plan_stream *s = &f.plan.stream[0];

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t at = s->next_ns;

		assert_true(at >= 7 * MS);
		assert_int_equal(plan_weight(&f.plan, 0), MS);
		assert_int_equal(plan_next(&f.plan), at);
		assert_int_equal(plan_due(&f.plan, at - 1), 0);
		assert_int_equal(plan_due(&f.plan, at), 1);
		advance(&f, 0, true, at);
		assert_true(s->next_ns > at);
	}
}

/* A quantile of the exponential distribution for each twentieth of the probability, times 1000. */
static const unsigned quantile[19] = {51, 105, 163, 223, 288, 357, 431, 511, 598, 693, 799, 916,
	1050, 1204, 1386, 1609, 1897, 2303, 2996};

static unsigned bin_of(uint64_t gap_ns)
{
	unsigned bin = 0;

	while (bin < 19 && gap_ns >= quantile[bin] * MS / 1000)
		bin++;
	return bin;
}

/*
 * The quantiles are rounded to a thousandth: that alone makes up for 2 in chi-square at most.
 */
static void test_plan__gaps_are_exponential(void **state)
{
	enum { DRAWS = 40000, BINS = 20 };
	struct fixture f = begun(MS, 0, 2);
	const struct plan_stream *s = &f.plan.stream[0];
	unsigned count[BINS] = {0};

	(void)state;
	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t at = s->next_ns;

		advance(&f, 0, true, at);
		count[bin_of(s->next_ns - at)]++;
	}
	assert_true(chi_square(count, BINS, DRAWS / (double)BINS) < CHI2_19 + 2);
	/* Their sum is a gamma distribution: 4.9 standard deviations. */
	assert_in_range(s->next_ns / MS, DRAWS - 980, DRAWS + 980);
}

/*
 * Where nobody waits for a CPU: gaps of the same mean, whose variance is 0.468 of its square. At no
 * time since the last instant is the next one less probable than half of what it is on average.
 */
static void test_plan__even_gaps(void **state)
{
	enum { DRAWS = 40000, BINS = 6 };
	struct fixture f = begun(MS, 0, 13);
	const struct plan_stream *s = &f.plan.stream[0];
	unsigned gone[BINS] = {0}, there[BINS] = {0};
	double sum = 0, squares = 0;

	(void)state;
	f.plan.even = true;
	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t at = s->next_ns;
		double gap;

		advance(&f, 0, true, at);
		gap = (double)(s->next_ns - at) / (double)MS;
		sum += gap - 1;
		squares += (gap - 1) * (gap - 1);
		for (unsigned bin = 0; bin < BINS && gap >= bin / 4.0; bin++) {
			there[bin]++;
			gone[bin] += gap < (bin + 1) / 4.0;
		}
	}
	/* The mean's deviation is 0.684 / 200, that of the mean square some 0.0065. */
	assert_true(sum / DRAWS < 4.9 * 0.00342 && sum / DRAWS > -4.9 * 0.00342);
	assert_true(squares / DRAWS > 0.468 - 0.032 && squares / DRAWS < 0.468 + 0.032);
	/* Of those still to come, in a quarter of a period: 1 - exp(-9/64), 1 - exp(-1.69 / 4). */
	for (unsigned bin = 0; bin < BINS; bin++) {
		double part = (double)gone[bin] / there[bin];
		double off = part - (bin < 3 ? 0.1312 : 0.3446);

		assert_true(off * off < 4.9 * 4.9 * 0.25 / there[bin]);
	}
}

/* How long one gap is tells nothing of the next one. */
static void test_plan__neighbouring_gaps_are_independent(void **state)
{
	enum { DRAWS = 40000, SIDE = 10 };
	struct fixture f = begun(MS, 0, 3);
	const struct plan_stream *s = &f.plan.stream[0];
	unsigned count[SIDE * SIDE] = {0}, before = 0;

	(void)state;
	/* Pairs that do not overlap: the cells are independent. */
	for (unsigned i = 0; i < 2 * DRAWS; i++) {
		uint64_t at = s->next_ns;
		unsigned bin;

		advance(&f, 0, true, at);
		bin = bin_of(s->next_ns - at) / 2;
		if (i % 2)
			count[before * SIDE + bin]++;
		before = bin;
	}
	assert_true(chi_square(count, SIDE * SIDE, DRAWS / (double)(SIDE * SIDE)) < CHI2_99);
}

/* The tables': one in each slot, at the same moment on all CPUs, whose random numbers differ. */
static void test_plan__a_table_has_one_instant_in_each_slot(void **state)
{
	enum { DRAWS = 40000, BINS = 20 };
	struct fixture f = {0}, other = {0};
	const struct plan_stream *s = &f.plan.stream[3];
	unsigned count[BINS] = {0};

	(void)state;
	plan_seed(&f.random, 4);
	plan_seed(&other.random, 5);
	plan_set(&f.plan, 3, MS, 7 * MS, &f.random);
	plan_set(&other.plan, 3, MS, 7 * MS, &other.random);
	for (uint64_t k = 0; k < DRAWS; k++) {
		assert_int_equal(s->slot_ns, (7 + k) * MS);
		assert_int_equal(plan_weight(&f.plan, 3), MS);
		assert_in_range(s->next_ns, s->slot_ns, s->slot_ns + MS - 1);
		assert_int_equal(s->next_ns, other.plan.stream[3].next_ns);
		count[(s->next_ns - s->slot_ns) * BINS / MS]++;
		advance(&f, 3, true, s->next_ns);
		advance(&other, 3, true, other.plan.stream[3].next_ns);
	}
	assert_true(chi_square(count, BINS, DRAWS / (double)BINS) < CHI2_19);
	/* Slots that have passed are lost; what has passed of one is not looked at. */
	advance(&f, 3, true, s->slot_ns + 4 * MS + 999999);
	assert_int_equal(s->slot_ns, (7 + DRAWS + 4) * MS);
	assert_int_equal(s->next_ns, s->slot_ns + 999999);
	assert_int_equal(plan_weight(&f.plan, 3), 4 * MS);
}

static void test_plan__streams_are_independent(void **state)
{
	enum { DRAWS = 40000, SIDE = 10 };
	struct fixture f = begun(MS, 0, 4);
	const struct plan_stream *s = f.plan.stream;
	unsigned count[SIDE * SIDE] = {0};

	(void)state;
	plan_set(&f.plan, 3, MS, 0, &f.random);
	for (unsigned i = 0; i < DRAWS; i++) {
		uint64_t a = s[0].next_ns, b = s[3].next_ns;

		assert_int_equal(plan_next(&f.plan), a < b ? a : b);
		assert_int_equal(plan_due(&f.plan, a > b ? a : b), 1 | 1 << 3);
		advance(&f, 0, true, a);
		assert_int_equal(s[3].next_ns, b);
		count[bin_of(s[0].next_ns - a) / 2 * SIDE + (b - s[3].slot_ns) * SIDE / MS]++;
		advance(&f, 3, true, b);
	}
	assert_true(chi_square(count, SIDE * SIDE, DRAWS / (double)(SIDE * SIDE)) < CHI2_99);
}

/*
 * Horvitz and Thompson: the weights that fall into a stretch of code sum up to the time it takes,
 * even if it keeps step with the period and if the spans depend on what was met. Of each 10 ms the
 * code runs for 0.3. Each sample adds the square of its weight to the variance.
 */
static void test_plan__weights_sum_up_to_the_time_of_the_code(void **state)
{
	struct fixture f = begun(MS, 0, 5);
	const struct plan_stream *s = &f.plan.stream[0];
	const uint64_t end = 200000 * MS;
	double found = 0, truth = (double)end * 0.03, variance = 0;
	uint64_t spans[5] = {0};

	(void)state;
	while (s->next_ns < end) {
		double weight = (double)plan_weight(&f.plan, 0);
		bool met = s->next_ns % (10 * MS) < 300000;

		found += met ? weight : 0;
		variance += met ? weight * weight : 0;
		spans[__builtin_ctzll(s->span_ns / MS)]++;
		advance(&f, 0, met, s->next_ns);
	}
	assert_true(spans[0] > 1000 && spans[1] > 1000 && spans[4] > 100);
	/* 4.9 standard deviations: one in a million. */
	assert_true((found - truth) * (found - truth) < 4.9 * 4.9 * variance);
}

/*
 * Whatever the look does: code that leaves its CPU as soon as it was met, for the rest of each 5
 * ms. With one instant in each period it would be found half a period too long each time.
 */
static void test_plan__code_that_flees_from_the_look_is_found_as_long_as_it_ran(void **state)
{
	struct fixture f = begun(MS, 0, 12);
	const struct plan_stream *s = &f.plan.stream[0];
	const uint64_t end = 50000 * MS;
	double found = 0, truth = 0;
	uint64_t samples = 0;

	(void)state;
	for (uint64_t begin = 0; begin < end; begin += 5 * MS) {
		uint64_t until = begin + 5 * MS;

		if (s->next_ns < until) {
			found += (double)plan_weight(&f.plan, 0);
			samples++;
			until = s->next_ns;
		}
		truth += (double)(until - begin);
		while (s->next_ns < begin + 5 * MS)
			plan_advance(&f.plan, 0, PLAN_MET, s->next_ns, ONE, 1, &f.random);
	}
	assert_true((found - truth) * (found - truth) <
		4.9 * 4.9 * (double)samples * (double)MS * (double)MS);
}

static void test_plan__spans_become_longer_where_nobody_is_met(void **state)
{
	struct fixture f = begun(MS, 0, 6);
	const struct plan_stream *s = &f.plan.stream[0];

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
		assert_int_equal(s->span_ns, plan_stretch(misses, 16) * MS);
		advance(&f, 0, false, s->next_ns);
	}
	/* The instant that finds somebody weighs what was planned; the next one comes sooner. */
	assert_int_equal(plan_weight(&f.plan, 0), 16 * MS);
	advance(&f, 0, true, s->next_ns);
	assert_int_equal(s->span_ns, MS);
	f.plan.stream[0].misses = UINT32_MAX;
	advance(&f, 0, false, s->next_ns);
	assert_int_equal(s->misses, UINT32_MAX);
}

static void test_plan__a_factor_makes_spans_longer_and_never_shorter(void **state)
{
	struct fixture f = begun(MS, 0, 7);
	const struct plan_stream *s = &f.plan.stream[0];

	(void)state;
	plan_advance(&f.plan, 0, PLAN_MET, 0, 3 * ONE / 2, 16, &f.random);
	assert_int_equal(s->span_ns, MS * 3 / 2);
	plan_advance(&f.plan, 0, PLAN_MET, 0, ONE / 2, 16, &f.random);
	assert_int_equal(s->span_ns, MS);
	/* No overflow: a second, a factor of a million. */
	plan_set(&f.plan, 0, 1000 * MS, 0, &f.random);
	plan_advance(&f.plan, 0, PLAN_MET, 0, UINT64_C(1000000) * ONE, 16, &f.random);
	assert_int_equal(s->span_ns, 1000 * MS * 1000000);
}

/* In 5 ms five others would have come, on average. The next one stands for two of them at most. */
static void test_plan__instants_that_have_passed_are_lost(void **state)
{
	enum { TIMES = 4000 };
	struct fixture f = begun(MS, 0, 8);
	const struct plan_stream *s = &f.plan.stream[0];
	uint64_t passed = 0;

	(void)state;
	for (unsigned i = 0; i < TIMES; i++) {
		uint64_t now = s->next_ns + 5 * MS;

		passed += plan_advance(&f.plan, 0, PLAN_MET, now, ONE, 16, &f.random);
		passed += plan_weight(&f.plan, 0) - MS;
		assert_true(s->next_ns > now);
		assert_in_range(plan_weight(&f.plan, 0), MS, 3 * MS);
	}
	/* A Poisson number: 4.9 standard deviations are 693. */
	assert_in_range(passed / MS, 5 * TIMES - 693, 5 * TIMES + 693);
	assert_int_equal(
		plan_advance(&f.plan, 0, PLAN_MET, s->next_ns + 1000 * MS, ONE, 16, &f.random),
		14 * MS);
	assert_int_equal(plan_weight(&f.plan, 0), 3 * MS);
}

static void test_plan__the_next_sample_weighs_for_what_was_lost(void **state)
{
	struct fixture f = begun(MS, 0, 11);
	const struct plan_stream *s = &f.plan.stream[0];
	uint64_t left;

	(void)state;
	for (unsigned i = 1; i <= 4; i++) {
		left = plan_advance(&f.plan, 0, PLAN_LOST, s->next_ns, ONE, 16, &f.random);
		assert_int_equal(plan_weight(&f.plan, 0), (i < 2 ? 1 + i : 3) * MS);
		assert_int_equal(left, i < 3 ? 0 : MS); /* not for more */
		assert_int_equal(s->misses, 0);
	}
	/* One that met nobody stands for them too. */
	advance(&f, 0, false, s->next_ns);
	assert_int_equal(plan_weight(&f.plan, 0), MS);
}

/* A table's ticks are counts: the next one stands for sixteen, but not for all of a long time. */
static void test_plan__a_table_loses_less(void **state)
{
	struct fixture f = {0};
	const struct plan_stream *s = &f.plan.stream[1];

	(void)state;
	plan_seed(&f.random, 12);
	plan_set(&f.plan, 1, MS, 0, &f.random);
	for (unsigned i = 1; i <= 16; i++) {
		(void)plan_advance(&f.plan, 1, PLAN_LOST, s->next_ns, ONE, 1, &f.random);
		assert_int_equal(plan_weight(&f.plan, 1), (1 + i) * MS);
	}
	assert_true(plan_advance(&f.plan, 1, PLAN_LOST, s->next_ns + 1000 * MS, ONE, 1,
			    &f.random) >= 1000 * MS);
	assert_int_equal(plan_weight(&f.plan, 1), 17 * MS);
}

static void test_plan__time_that_was_ours_moves_the_instants(void **state)
{
	struct fixture f = begun(MS, 0, 9), before;

	(void)state;
	plan_set(&f.plan, 2, 3 * MS, 0, &f.random);
	before = f;
	for (unsigned i = 0; i < PLAN_STREAMS; i++)
		plan_shift(&f.plan, i, 12345, 0);
	for (unsigned i = 0; i < 3; i += 2) {
		assert_int_equal(f.plan.stream[i].next_ns, before.plan.stream[i].next_ns + 12345);
		assert_int_equal(f.plan.stream[i].span_ns, before.plan.stream[i].span_ns);
	}
	/* One that is not in use stays as it is. */
	assert_memory_equal(&f.plan.stream[1], &before.plan.stream[1], sizeof(f.plan.stream[1]));
	/* An instant that is due stays, too: it is looked at now, as those of the other CPUs are.
	 */
	before = f;
	plan_shift(&f.plan, 2, 777, f.plan.stream[2].next_ns);
	assert_int_equal(f.plan.stream[2].next_ns, before.plan.stream[2].next_ns);
	assert_int_equal(f.plan.stream[2].slot_ns, before.plan.stream[2].slot_ns + 777);
	plan_shift(&f.plan, 2, 777, f.plan.stream[2].next_ns - 1);
	assert_int_equal(f.plan.stream[2].next_ns, before.plan.stream[2].next_ns + 777);
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
	assert_true(s->next_ns >= 5 * MS);
	/* The same period again: nothing changes. */
	before = f;
	plan_set(&f.plan, 1, MS, 5 * MS + 1, &f.random);
	assert_memory_equal(&f, &before, sizeof(f));
	/* Another one: from now on. */
	f.plan.stream[1].misses = 99;
	plan_set(&f.plan, 1, 4 * MS, 5 * MS + 1, &f.random);
	assert_true(s->next_ns > 5 * MS);
	assert_int_equal(s->span_ns, 4 * MS);
	assert_int_equal(s->misses, 0);
	plan_set(&f.plan, 1, 0, 6 * MS, &f.random);
	assert_true(plan_next(&f.plan) == PLAN_NEVER);
	assert_int_equal(plan_due(&f.plan, UINT64_MAX), 0);
}

/* Whatever the plan was for: the slots of a new period begin now, not when the machine did. */
static void test_plan__slots_of_a_new_period_begin_now(void **state)
{
	const uint64_t now = 40000000 * MS;

	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct fixture f = {.plan.slotted = true};
		const struct plan_stream *s = &f.plan.stream[0];

		plan_seed(&f.random, seed);
		plan_set(&f.plan, 0, MS, now, &f.random);
		assert_in_range(s->next_ns, now, now + MS);
		assert_int_equal(plan_weight(&f.plan, 0), MS);
		(void)plan_advance(&f.plan, 0, PLAN_MET, 0, 1024, 1, &f.random);
		assert_in_range(s->next_ns, now + MS, now + 2 * MS);
		plan_set(&f.plan, 0, 2 * MS, now, &f.random);
		(void)plan_advance(&f.plan, 0, PLAN_LOST, now, 1024, 1, &f.random);
		assert_int_equal(plan_weight(&f.plan, 0), 4 * MS);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plan__random_numbers_are_uniform_and_below_the_bound),
		cmocka_unit_test(test_plan__an_instant_weighs_the_span_that_was_fixed_before),
		cmocka_unit_test(test_plan__gaps_are_exponential),
		cmocka_unit_test(test_plan__even_gaps),
		cmocka_unit_test(test_plan__neighbouring_gaps_are_independent),
		cmocka_unit_test(test_plan__a_table_has_one_instant_in_each_slot),
		cmocka_unit_test(test_plan__streams_are_independent),
		cmocka_unit_test(test_plan__weights_sum_up_to_the_time_of_the_code),
		cmocka_unit_test(
			test_plan__code_that_flees_from_the_look_is_found_as_long_as_it_ran),
		cmocka_unit_test(test_plan__spans_become_longer_where_nobody_is_met),
		cmocka_unit_test(test_plan__a_factor_makes_spans_longer_and_never_shorter),
		cmocka_unit_test(test_plan__instants_that_have_passed_are_lost),
		cmocka_unit_test(test_plan__the_next_sample_weighs_for_what_was_lost),
		cmocka_unit_test(test_plan__a_table_loses_less),
		cmocka_unit_test(test_plan__time_that_was_ours_moves_the_instants),
		cmocka_unit_test(test_plan__a_stream_begins_changes_and_ends),
		cmocka_unit_test(test_plan__slots_of_a_new_period_begin_now),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
