/* SPDX-License-Identifier: MIT */
/* The common factor of random runs, and what diff finds without it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "profile/speed.h"
#include "tests/unit/random_runs.h"

enum { ROWS = 12, SIDE = 3, RUNS = 2 * SIDE, TURNS = 400 };

struct program {
	double noise;     /* relative noise of the machine, equal in all rows of a run */
	double row_noise; /* relative noise of each row, in addition */
	double slower;    /* factor of row 1 in side B */
	double all_slower;
	double samples; /* samples of a run */
	const double *share;
	const double *row_noises; /* in place of row_noise, if not NULL */
};

static const double shares[ROWS] = {.2, .28, .15, .1, .07, .05, .04, .03, .03, .02, .02, .01};

static void make_run(const struct program *program, bool is_b, uint64_t *seed, double *value,
	struct compare_run *run)
{
	const double *share = program->share ? program->share : shares;
	double factor = exp(program->noise * random_normal(seed));

	*run = (struct compare_run){0};
	if (is_b)
		factor *= 1 + program->all_slower;
	for (size_t i = 0; i < ROWS; i++) {
		double noise = program->row_noises ? program->row_noises[i] : program->row_noise;
		double time = share[i] * factor * exp(noise * random_normal(seed));

		if (is_b && i == 1)
			time *= 1 + program->slower;
		value[i] = run_add(run, time, time * program->samples, seed);
	}
	run_seal(run, value, ROWS);
}

struct turns {
	/* turns in which these were significant: anything, row 1, something else */
	int any, row, other;
	int change, noise; /* turns in which the factor was taken for a change, for noise */
};

static void take_out(const struct speed *speed, struct compare_run *run, double *value)
{
	for (size_t i = 0; i < RUNS; i++) {
		run[i].all /= exp(speed->log_factor[i]);
		for (size_t j = 0; j < ROWS; j++)
			value[i * ROWS + j] /= exp(speed->log_factor[i]);
	}
}

static struct turns count_turns(const struct program *program, uint64_t seed)
{
	struct turns turns = {0};

	for (int turn = 0; turn < TURNS; turn++) {
		struct compare_run run[RUNS];
		struct compare_row row[ROWS];
		double value[RUNS * ROWS];
		bool other = false;
		struct speed speed;

		for (size_t i = 0; i < RUNS; i++)
			make_run(program, i >= SIDE, &seed, value + i * ROWS, &run[i]);
		assert_int_equal(speed_find(run, SIDE, SIDE, value, ROWS, NULL, &speed), 0);
		turns.change += speed.is_change;
		turns.noise += speed.is_noise;
		if (speed.is_noise)
			take_out(&speed, run, value);
		assert_int_equal(
			compare_rows(run, SIDE, SIDE, value, ROWS, NULL, speed.is_noise, row), 0);
		for (size_t i = 0; i < ROWS; i++)
			other |= i != 1 && row[i].q <= 0.05;
		turns.row += row[1].q <= 0.05;
		turns.other += other;
		turns.any += other || row[1].q <= 0.05;
		speed_release(&speed);
	}
	return turns;
}

/* The machine's speed differs by 6 % from run to run. */
static void test_speed__a_slower_function_is_found(void **state)
{
	const struct program program = {
		.noise = 0.06, .row_noise = 0.005, .slower = 0.1, .samples = 26000};
	const struct turns turns = count_turns(&program, 1);

	(void)state;
	/* Row 1 is found in 19 of 20 turns; in 2 of 20, chance may add another row. */
	assert_true(turns.row >= TURNS * 95 / 100);
	assert_true(turns.other <= TURNS * 10 / 100);
}

/* Rows that read much memory are disturbed by other programs in the caches. */
static const double some_noisy[ROWS] = {.01, .01, .01, .2, .01, .1, .01, .01, .05, .01, .01, .01};

static void test_speed__noise_of_some_hides_nothing_in_others(void **state)
{
	const struct program program = {.slower = 0.1, .samples = 13000, .row_noises = some_noisy};
	const struct turns turns = count_turns(&program, 2);

	(void)state;
	assert_true(turns.row >= TURNS * 85 / 100);
	assert_true(turns.other <= TURNS * 10 / 100);
}

static void test_speed__equals_show_nothing(void **state)
{
	static const struct program programs[] = {
		{.samples = 8000},
		{.samples = 500, .noise = 0.05},
		{.samples = 8000, .noise = 0.02},
		{.samples = 8000, .noise = 0.06},
		{.samples = 8000, .noise = 0.06, .row_noise = 0.01},
		{.samples = 20000, .noise = 0.06, .row_noise = 0.03},
		{.samples = 20000, .noise = 0.3},
		{.samples = 13000, .row_noises = some_noisy},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		const struct turns turns = count_turns(&programs[i], 10 + i);

		/* 5 % are 20 of 400; chance exceeds 31 once in 200. */
		assert_true(turns.any <= 31);
	}
}

/* The machine is steady, and all rows are slower in side B. */
static void test_speed__a_change_of_all_is_no_noise(void **state)
{
	const struct program program = {.noise = 0.01, .all_slower = 0.2, .samples = 8000};
	const struct turns turns = count_turns(&program, 30);

	(void)state;
	assert_true(turns.change >= TURNS * 99 / 100);
	assert_true(turns.any >= TURNS * 99 / 100);
}

/* Two functions with nearly all of the time do not tell the machine's speed. */
static void test_speed__few_witnesses_are_not_believed(void **state)
{
	static const double two[ROWS] = {.6, .4};
	const struct program program = {.noise = 0.06, .samples = 8000, .share = two};
	const struct turns turns = count_turns(&program, 40);

	(void)state;
	assert_int_equal(turns.noise + turns.change, 0);
	assert_true(turns.any <= 31);
}

static void test_speed__runs_without_samples(void **state)
{
	const struct compare_run run[3] = {{1000, 0, false}, {1000, 500, false}, {0, 0, false}};
	double value[3 * ROWS] = {0};
	struct speed speed;

	(void)state;
	assert_int_equal(speed_find(run, 2, 1, value, ROWS, NULL, &speed), 0);
	assert_false(speed.is_noise || speed.is_change);
	speed_release(&speed);
	assert_int_equal(speed_find(run, 1, 1, value, 0, NULL, &speed), 0);
	assert_false(speed.is_noise || speed.is_change);
	speed_release(&speed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_speed__a_slower_function_is_found),
		cmocka_unit_test(test_speed__noise_of_some_hides_nothing_in_others),
		cmocka_unit_test(test_speed__equals_show_nothing),
		cmocka_unit_test(test_speed__a_change_of_all_is_no_noise),
		cmocka_unit_test(test_speed__few_witnesses_are_not_believed),
		cmocka_unit_test(test_speed__runs_without_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
