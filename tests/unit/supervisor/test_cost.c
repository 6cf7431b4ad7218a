/* SPDX-License-Identifier: MIT */
/* The cost of sampling and its bound, on scripted costs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "supervisor/sample/cost.h"

#define US     UINT64_C(1000)
#define MS     UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)
#define PERIOD (4 * MS)

/* One busy thread, sampled at a fixed interval, which the bound stretches. */
struct world {
	struct cost cost;
	uint64_t now_ns, samples, given_up;
	uint64_t ran_ns, lost_ns;          /* true values */
	uint64_t occupied_each, lost_each; /* of each sample */
	bool even;                         /* the thread is uninterrupted */
};

static struct world begun(uint64_t bound_ppm, uint64_t occupied_ns, uint64_t lost_ns, bool even)
{
	struct world w = {.now_ns = 5 * SECOND,
		.occupied_each = occupied_ns,
		.lost_each = lost_ns,
		.even = even};

	cost_init(&w.cost, bound_ppm);
	cost_keep(&w.cost, w.now_ns, 0);
	return w;
}

static void run(struct world *w, uint64_t seconds)
{
	for (uint64_t end = w->now_ns + seconds * SECOND; w->now_ns < end;) {
		uint64_t gap = PERIOD * cost_factor(&w->cost, PERIOD) / COST_ONE;

		w->now_ns += gap;
		w->ran_ns += gap;
		cost_earn(&w->cost, gap);
		if (cost_is_spent(&w->cost)) {
			w->given_up++;
		} else {
			w->now_ns += w->lost_each;
			w->lost_ns += w->lost_each;
			w->samples++;
			cost_spend(&w->cost, w->occupied_each);
			if (w->even)
				cost_uninterrupted(&w->cost, w->lost_each, gap + w->lost_each);
		}
		cost_keep(&w->cost, w->now_ns, w->samples);
	}
}

/* The cost measured on uninterrupted threads is exact, though it is twice the occupied time. */
static void test_cost__is_what_uninterrupted_threads_lose(void **state)
{
	struct world w = begun(0, 60 * US, 120 * US, true);

	(void)state;
	run(&w, 10);
	assert_int_equal(w.samples, 10 * SECOND / (PERIOD + 120 * US) + 1);
	assert_in_range(w.cost.total_ns * 1000 / w.lost_ns, 980, 1020);
	assert_int_equal(cost_factor(&w.cost, PERIOD), COST_ONE);
	assert_false(cost_is_spent(&w.cost));
}

/* The estimate is the occupied time plus a quarter for context switches. */
static void test_cost__is_estimated_where_no_thread_is_uninterrupted(void **state)
{
	struct world w = begun(0, 100 * US, 125 * US, false);

	(void)state;
	run(&w, 10);
	assert_in_range(w.cost.total_ns * 1000 / w.lost_ns, 999, 1001);
}

static void test_cost__a_measured_ratio_is_kept(void **state)
{
	struct world w = begun(0, 60 * US, 150 * US, true);

	(void)state;
	run(&w, 3);
	w.even = false;
	w.lost_ns = 0;
	w.cost.total_ns = 0;
	run(&w, 10);
	assert_in_range(w.cost.total_ns * 1000 / w.lost_ns, 980, 1020);
}

static void test_cost__the_first_second_is_free(void **state)
{
	struct world w = begun(10000, 400 * US, 500 * US, true);

	(void)state;
	run(&w, 1);
	assert_in_range(w.samples, 220, 223);
	assert_int_equal(w.given_up, 0);
	run(&w, 1);
	assert_in_range(w.samples, 235, 260);
}

static void check_bound(uint64_t bound_ppm, uint64_t occupied_ns, uint64_t lost_ns, bool even)
{
	struct world w = begun(bound_ppm, occupied_ns, lost_ns, even);

	run(&w, 1);
	w.ran_ns = w.lost_ns = w.samples = 0;
	run(&w, 30);
	/* The cost is within the bound; the rate is not lower than necessary. */
	assert_in_range(w.lost_ns * 1000000 / w.ran_ns, bound_ppm * 85 / 100, bound_ppm);
	/* Samples come evenly; hardly an instant is given up. */
	assert_true(w.given_up <= w.samples / 50);
}

static void test_cost__the_rate_yields_to_the_bound(void **state)
{
	(void)state;
	check_bound(10000, 60 * US, 100 * US, true);
	check_bound(10000, 250 * US, 324 * US, true);
	check_bound(10000, 160 * US, 200 * US, false);
	check_bound(1000, 60 * US, 100 * US, true);
	check_bound(50000, 1000 * US, 1200 * US, true);
}

static void test_cost__no_more_samples_than_the_bound_needs(void **state)
{
	struct world w = begun(50000, 60 * US, 100 * US, true);

	(void)state;
	run(&w, 10);
	assert_int_equal(cost_factor(&w.cost, PERIOD), COST_ONE);
	assert_int_equal(w.given_up, 0);
}

static void test_cost__follows_a_change(void **state)
{
	struct world w = begun(10000, 40 * US, 50 * US, true);

	(void)state;
	run(&w, 5);
	w.occupied_each *= 10;
	w.lost_each *= 10;
	run(&w, 5);
	w.lost_ns = w.ran_ns = 0;
	run(&w, 20);
	assert_in_range(w.lost_ns * 1000000 / w.ran_ns, 8500, 10000);
}

/*
 * After a sample that other load made long, sampling stops until the bound is kept again. The rate
 * then hardly differs from that before.
 */
static void test_cost__one_dear_sample(void **state)
{
	struct world w = begun(10000, 80 * US, 100 * US, false);
	uint64_t factor, ran = 0;

	(void)state;
	run(&w, 5);
	factor = cost_factor(&w.cost, PERIOD);
	cost_spend(&w.cost, 80 * MS);
	assert_true(cost_is_spent(&w.cost));
	cost_keep(&w.cost, w.now_ns, ++w.samples);
	assert_true(cost_factor(&w.cost, PERIOD) < factor * 5 / 4);
	for (; cost_is_spent(&w.cost); ran += 10 * MS)
		cost_earn(&w.cost, 10 * MS);
	/*
	 * The sample costs 100 ms: 80 ms occupied, and a quarter more. Sampling goes on after 10 s
	 * of CPU time, of which 100 ms are 1 %, or up to half a second earlier, if some of the
	 * bound was unused.
	 */
	assert_in_range(ran, 9400 * MS, 10010 * MS);
}

/* Time that a hypervisor takes in one interval is no cost of sampling. */
static void test_cost__others_are_not_counted(void **state)
{
	struct world w = begun(0, 80 * US, 100 * US, true);

	(void)state;
	run(&w, 3);
	for (unsigned i = 0; i < 100; i++) {
		cost_uninterrupted(&w.cost, 20 * MS, 30 * MS);
		run(&w, 1);
	}
	assert_in_range(w.cost.total_ns * 1000 / w.lost_ns, 950, 1050);
	/* Readings by which all time was lost are dropped: the thread did not run. */
	cost_uninterrupted(&w.cost, 30 * MS, 30 * MS);
	cost_uninterrupted(&w.cost, 40 * MS, 30 * MS);
	assert_int_equal(w.cost.even_lost_ns <= w.cost.even_ran_ns, 1);
}

static void test_cost__all_time_is_no_bound(void **state)
{
	struct world w = begun(1000000, 3000 * US, 3500 * US, true);

	(void)state;
	run(&w, 5);
	assert_int_equal(cost_factor(&w.cost, PERIOD), COST_ONE);
	assert_false(cost_is_spent(&w.cost));
	cost_init(&w.cost, 0);
	cost_keep(&w.cost, w.now_ns, 0);
	cost_spend(&w.cost, 1000 * SECOND);
	assert_false(cost_is_spent(&w.cost));
}

/* Another file or analyst counts samples from 0. */
static void test_cost__the_count_may_begin_anew(void **state)
{
	struct world w = begun(10000, 80 * US, 100 * US, true);

	(void)state;
	run(&w, 3);
	w.samples = 0;
	run(&w, 3);
	assert_in_range(w.cost.mean_ns, 95 * US, 105 * US);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cost__is_what_uninterrupted_threads_lose),
		cmocka_unit_test(test_cost__is_estimated_where_no_thread_is_uninterrupted),
		cmocka_unit_test(test_cost__a_measured_ratio_is_kept),
		cmocka_unit_test(test_cost__the_first_second_is_free),
		cmocka_unit_test(test_cost__the_rate_yields_to_the_bound),
		cmocka_unit_test(test_cost__no_more_samples_than_the_bound_needs),
		cmocka_unit_test(test_cost__follows_a_change),
		cmocka_unit_test(test_cost__one_dear_sample),
		cmocka_unit_test(test_cost__others_are_not_counted),
		cmocka_unit_test(test_cost__all_time_is_no_bound),
		cmocka_unit_test(test_cost__the_count_may_begin_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
