/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profile/stats.h"

static void assert_near(double value, double expected)
{
	if (fabs(value - expected) > 5e-5)
		fail_msg("%g is not %g", value, expected);
}

/* The textbook: 5 of 10 give 0.2366 to 0.7634; none of 10 gives 0 to 0.2775. */
static void test_stats__wilson_interval_of_the_textbook(void **state)
{
	struct interval half = stats_share_interval(0.5, 10);
	struct interval none = stats_share_interval(0, 10);
	struct interval all = stats_share_interval(1, 10);

	(void)state;
	assert_near(half.low, 0.2366);
	assert_near(half.high, 0.7634);
	assert_near(none.low, 0);
	assert_near(none.high, 0.2775);
	assert_near(all.low, 0.7225);
	assert_near(all.high, 1);
}

static void test_stats__knows_nothing_without_samples(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		struct interval any = stats_share_interval(0.5, (double[]){0, -1, NAN}[i]);

		assert_true(any.low <= 0 && any.high >= 1);
	}
	/* Rounding has moved the share out of its range. */
	assert_true(stats_share_interval(1.0000001, 100).high <= 1);
	assert_true(stats_share_interval(-0.0000001, 100).low >= 0);
	assert_true(stats_share_interval(NAN, 100).low >= 0);
}

/* Computes the exact probability that the interval contains the true share: about 95 %. */
static void test_stats__interval_covers_the_truth(void **state)
{
	const double truths[] = {0.05, 0.2, 0.5};
	const int n = 200;

	(void)state;
	for (int t = 0; t < 3; t++) {
		double p = truths[t], covered = 0, probability = pow(1 - p, n);

		for (int k = 0; k <= n; k++) {
			struct interval i = stats_share_interval((double)k / n, n);

			if (i.low <= p && p <= i.high)
				covered += probability;
			probability *= (double)(n - k) / (k + 1) * p / (1 - p);
		}
		assert_true(covered > 0.93 && covered < 0.98);
	}
}

/* The simulated spread of the found ratio: @rounds times @n instants, hits at @p each. */
static double spread(int n, double p, int rounds)
{
	double sum = 0, squares = 0;
	unsigned seed = 1;

	for (int i = 0; i < rounds; i++) {
		int hits = 0;

		for (int j = 0; j < n; j++)
			hits += rand_r(&seed) < p * RAND_MAX;
		sum += hits / (n * p);
		squares += hits / (n * p) * (hits / (n * p));
	}
	return sqrt(squares / rounds - sum / rounds * (sum / rounds));
}

/* 20,000 rounds give the spread with an error of 0.5 %; 8 times that, 4 %, is allowed. */
static void test_stats__found_error_is_that_of_hits(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		double p = (double[]){0.05, 0.3, 0.8}[i];
		double error = stats_found_error(400 * p, p);

		assert_true(fabs(spread(400, p, 20000) / error - 1) < 0.04);
	}
	/*
	 * Of a thread always on its CPU, only the first and last period are uncertain. An unknown
	 * share of hits counts as 0. Without expected samples, any ratio is possible.
	 */
	assert_near(stats_found_error(100, 1), 0.01);
	assert_near(stats_found_error(100, 0), sqrt(0.0101));
	assert_near(stats_found_error(0, 0.5), 1);
}

static void test_stats__effective_samples(void **state)
{
	(void)state;
	/* 100 weights of 4 have the size 100; weights of 1, 1 and 2 have 16 / 6. */
	assert_near(stats_effective_samples(400, 1600), 100);
	assert_near(stats_effective_samples(4, 6), 16.0 / 6);
	assert_near(stats_effective_samples(0, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stats__wilson_interval_of_the_textbook),
		cmocka_unit_test(test_stats__knows_nothing_without_samples),
		cmocka_unit_test(test_stats__interval_covers_the_truth),
		cmocka_unit_test(test_stats__found_error_is_that_of_hits),
		cmocka_unit_test(test_stats__effective_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
