/* SPDX-License-Identifier: MIT */
/* The statistics of `sprofreport diff`, against tables of Student's t and on random runs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profile/compare.h"
#include "tests/unit/random_runs.h"

static void test_compare__students_t(void **state)
{
	/* t by degrees of freedom, two-sided, for p of 5 %, 1 % and 0.1 %: from a printed table */
	static const struct {
		double freedom, t[3];
	} table[] = {
		{1, {12.706, 63.657, 636.619}},
		{2, {4.303, 9.925, 31.599}},
		{4, {2.776, 4.604, 8.610}},
		{10, {2.228, 3.169, 4.587}},
		{30, {2.042, 2.750, 3.646}},
		{HUGE_VAL, {1.960, 2.576, 3.291}},
	};
	static const double p[] = {0.05, 0.01, 0.001};

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		for (size_t j = 0; j < 3; j++) {
			double limit = compare_t_limit(p[j], table[i].freedom);

			assert_true(fabs(limit - table[i].t[j]) < 0.0006);
			assert_true(fabs(compare_t_beyond(limit, table[i].freedom) - p[j]) < 1e-9);
		}
	}
	assert_true(compare_t_beyond(0, 3) > 0.999999);
	assert_true(compare_t_beyond(50, HUGE_VAL) < 1e-100);
}

enum { ROWS = 12, RUNS = 10, TURNS = 20 };

struct program {
	double noise;     /* relative noise of a run's time */
	double row_noise; /* relative noise of each row, in addition */
	double slower;    /* part by which row 1 takes longer in side B */
	double samples;   /* samples of a run */
};

/* A row's time is that of its samples; the time of the whole run is exact. */
static void make_run(const struct program *program, bool is_b, uint64_t *seed, double *value,
	struct compare_run *run)
{
	static const double share[ROWS] = {
		.3, .25, .15, .1, .06, .05, .03, .03, .01, .01, .005, .005};
	double factor = 1 + program->noise * random_normal(seed);

	*run = (struct compare_run){0};
	for (size_t i = 0; i < ROWS; i++) {
		double time = share[i] * factor * (1 + program->row_noise * random_normal(seed));

		if (is_b && i == 1)
			time *= 1 + program->slower;
		value[i] = run_add(run, time, time * program->samples, seed);
	}
	run_seal(run, value, ROWS);
}

/* Turns, of TURNS, in which any row is significant, and in which row 1 is. */
static void count_turns(
	const struct program *program, size_t runs, uint64_t seed, int *ret_any, int *ret_row)
{
	*ret_any = *ret_row = 0;
	for (int turn = 0; turn < TURNS; turn++) {
		struct compare_run run[RUNS];
		struct compare_row row[ROWS];
		double value[RUNS * ROWS];
		bool any = false;

		for (size_t i = 0; i < 2 * runs; i++)
			make_run(program, i >= runs, &seed, value + i * ROWS, &run[i]);
		assert_int_equal(compare_rows(run, runs, runs, value, ROWS, NULL, false, row), 0);
		for (size_t i = 0; i < ROWS; i++)
			any |= row[i].q <= 0.05;
		*ret_any += any;
		*ret_row += row[1].q <= 0.05 && row[1].low > 0 && row[1].high < 0.25;
	}
}

static void test_compare__finds_what_is_slower(void **state)
{
	const struct program steady = {.slower = 0.1, .samples = 20000};
	const struct program real = {
		.noise = 0.005, .row_noise = 0.005, .slower = 0.1, .samples = 20000};
	int any, found;

	(void)state;
	count_turns(&steady, 3, 1, &any, &found);
	assert_true(found >= 19);
	count_turns(&real, 3, 2, &any, &found);
	assert_true(found >= 19);
	count_turns(&steady, 1, 3, &any, &found);
	assert_true(found >= 15);
}

/* Equal programs differ only by noise. */
static void test_compare__claims_nothing_of_equals(void **state)
{
	static const struct program programs[] = {
		{.samples = 20000},
		{.samples = 500},
		{.samples = 5000, .noise = 0.02},
		{.samples = 20000, .noise = 0.01, .row_noise = 0.01},
		{.samples = 20000, .row_noise = 0.05},
	};
	int any, row, all = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		count_turns(&programs[i], 3, 10 + i, &any, &row);
		all += any;
	}
	/* Of 100 comparisons, 5 may claim a change; the seeds are fixed. */
	assert_true(all <= 5);
}

static void test_compare__rows_that_come_and_go(void **state)
{
	const struct compare_run run[2] = {{1000, 1000, false}, {1100, 1100, false}};
	/* five rows on side A, then on side B */
	const double value[] = {500, 0, 400, 99, 1, 600, 400, 0, 99, 1};
	const bool skip[] = {true, false, false, false, false};
	struct compare_row row[5];

	(void)state;
	assert_int_equal(compare_rows(run, 1, 1, value, 5, skip, false, row), 0);
	assert_false(row[0].tested);
	assert_true(row[0].q >= 1 && fabs(row[0].delta - 0.2) < 1e-12);
	assert_true(row[1].tested && row[1].q < 1e-9 && isinf(row[1].delta) && row[1].low > 10);
	assert_true(isinf(row[1].high));
	assert_true(row[2].q < 1e-9 && row[2].delta <= -1 && row[2].high < -0.9);
	assert_true(row[3].q > 0.3 && row[3].low < 0 && row[3].high > 0);
	assert_false(row[4].tested); /* two samples are too few */
}

/* The row's share is rounded, to less than 1 in the second comparison. */
static void test_compare__a_row_that_has_all(void **state)
{
	const double exact[] = {500, 600},
		     rounded[] = {958666920.8120096, 611124201.2168088, 93398583.69871701,
			     685836347.8905928, 330483580.1782885, 466395178.0278875};
	struct compare_run run[6];
	struct compare_row row;

	(void)state;
	for (size_t i = 0; i < 2; i++)
		run[i] = (struct compare_run){exact[i], 1000, false};
	assert_int_equal(compare_rows(run, 1, 1, exact, 1, NULL, false, &row), 0);
	assert_true(row.whole && !row.tested);
	run[1].all++;
	assert_int_equal(compare_rows(run, 1, 1, exact, 1, NULL, false, &row), 0);
	assert_true(!row.whole && row.tested);
	for (size_t i = 0; i < 6; i++)
		run[i] = (struct compare_run){rounded[i], 1000, false};
	assert_int_equal(compare_rows(run, 3, 3, rounded, 1, NULL, true, &row), 0);
	assert_true(row.whole && !row.tested);
}

/* A row has nearly all: it is slower or, if the total is counted, perhaps only met more often. */
static void test_compare__a_counted_total_has_an_error(void **state)
{
	struct compare_run run[2] = {{1000, 100, false}, {1100, 110, false}};
	const double value[2][2] = {{999, 1}, {1099, 1}};
	struct compare_row row[2];

	(void)state;
	assert_int_equal(compare_rows(run, 1, 1, value[0], 2, NULL, false, row), 0);
	assert_true(row[0].p < 0.01);
	run[0].counted = true;
	assert_int_equal(compare_rows(run, 1, 1, value[0], 2, NULL, false, row), 0);
	assert_true(row[0].p > 0.2);
	assert_true(row[0].low < 0 && row[0].high > 0.2);
}

static void test_compare__without_samples_nothing_is_tested(void **state)
{
	const struct compare_run run[2] = {{1000, 0, false}, {1000, 1000, false}};
	const struct compare_run empty[2] = {{0, 0, false}, {0, 0, false}};
	const double value[] = {500, 500, 900, 100}, none[] = {0, 0, 0, 0};
	struct compare_row row[2];

	(void)state;
	assert_int_equal(compare_rows(run, 1, 1, value, 2, NULL, false, row), 0);
	assert_false(row[0].tested || row[1].tested);
	assert_int_equal(compare_rows(empty, 1, 1, none, 2, NULL, false, row), 0);
	assert_false(row[0].tested || row[0].delta != 0);
	assert_int_equal(compare_rows(run, 1, 1, value, 0, NULL, false, row), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compare__students_t),
		cmocka_unit_test(test_compare__finds_what_is_slower),
		cmocka_unit_test(test_compare__claims_nothing_of_equals),
		cmocka_unit_test(test_compare__rows_that_come_and_go),
		cmocka_unit_test(test_compare__a_row_that_has_all),
		cmocka_unit_test(test_compare__a_counted_total_has_an_error),
		cmocka_unit_test(test_compare__without_samples_nothing_is_tested),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
