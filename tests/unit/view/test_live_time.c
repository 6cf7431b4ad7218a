/* SPDX-License-Identifier: MIT */
/* Pause, decay, reset, clocks, delay and end. */
#include "tests/unit/live_screen_fixture.h"
#include "view/live/live_weights.h"

static void test_live__pause_keeps_the_rows(void **state)
{
	struct view *v = *state;

	type(v, "p");
	fixture_add(v->fixture.profile, v->fixture.task,
		(uint32_t[]){v->fixture.work[39], v->fixture.dispatch_at, v->fixture.main_at}, 3,
		5000);
	look(v, 12);
	assert_selected(v, "helper");
	assert_shows(v, "PAUSED");
	assert_int_equal(live_due_ns(v->live), UINT64_MAX);
	type(v, "p");
	assert_true(live_due_ns(v->live) < 13 * LIVE_SECOND_NS);
	look(v, 13);
	assert_selected(v, "work_39");
}

static void test_live__decay_forgets_the_past(void **state)
{
	struct view *v = *state;

	type(v, "z");
	assert_shows(v, "last 10 s");
	/* After ten half-lives, 951 samples weigh less than one. */
	look(v, 110);
	fixture_add(v->fixture.profile, v->fixture.task,
		(uint32_t[]){v->fixture.work[39], v->fixture.dispatch_at, v->fixture.main_at}, 3,
		50);
	look(v, 111);
	assert_selected(v, "work_39");
	assert_selected(v, "98."); /* 50 / (50 + 951 / 1024) */
	type(v, "z");
	assert_selected(v, "work_39"); /* 51 of 1001 since the start */
	assert_selected(v, "5.0");
}

static void test_live__decay_lives_long(void **state)
{
	struct view *v = *state;

	type(v, "z");
	/* The unit of decayed weights changes after 40 half-lives; a steady row keeps 100 %. */
	for (uint64_t second = 20; second < 4000; second += 10) {
		fixture_add(v->fixture.profile, v->fixture.task,
			(uint32_t[]){v->fixture.work[5], v->fixture.main_at}, 2, 10);
		look(v, second);
	}
	assert_selected(v, "work_05");
	assert_selected(v, "100.00");
}

static void test_live__reset(void **state)
{
	struct view *v = *state;

	type(v, "r");
	assert_hides(v, "helper");
	fixture_add(v->fixture.profile, v->fixture.task,
		(uint32_t[]){v->fixture.work[3], v->fixture.dispatch_at, v->fixture.main_at}, 3, 4);
	look(v, 12);
	assert_selected(v, "work_03");
	assert_selected(v, "100.00");
}

static void test_live__one_clock_only(void **state)
{
	type(*state, "i");
	assert_shows(*state, "there is only CPU time");
}

static void test_live__other_clocks(void **state)
{
	struct view *v = *state;
	int64_t values[VALUE_TYPES_MAX] = {0, 0, 7 * LIVE_SECOND_NS};
	uint32_t stack[] = {v->fixture.work[20], v->fixture.main_at};

	assert_int_equal(profile_add_value_type(v->fixture.profile, "wall", "nanoseconds"), 2);
	assert_int_equal(
		profile_add_sample(v->fixture.profile, v->fixture.task, stack, 2, values), 0);
	look(v, 12);
	type(v, "i");
	assert_selected(v, "work_20");
	assert_selected(v, "100.00");
	assert_shows(v, "wall");
	type(v, "H");
	assert_shows(v, "WALL%    WALL s");
	type(v, "i");
	assert_shows(v, "CPU%    TIME s");
	type(v, "iH");
	type(v, "i");
	press(v, LIVE_KEY_HOME);
	assert_selected(v, "helper");
}

/* Of well-known stacks no callers are guessed: that does not mean that nothing has run. */
static void test_live__a_clock_without_time_says_so(void **state)
{
	struct view *v = *state;

	assert_int_equal(profile_add_value_type(v->fixture.profile, "guessed", "nanoseconds"), 2);
	look(v, 12);
	type(v, "i");
	assert_shows(v, "guessed: the time in stacks whose callers are guessed");
	assert_shows(v, "no time of this clock (i shows another)");
	type(v, "i");
	assert_shows(v, " CPU time\n");
	assert_selected(v, "helper");
}

static void test_live__first_names_do_not_wait_for_a_delay(void **state)
{
	struct view *v = *state;
	const uint64_t begun = 10 * LIVE_SECOND_NS, tenth = LIVE_SECOND_NS / 10;
	struct live_facts facts = {.target = "demo", .state = LIVE_RUNS, .begun_ns = begun};
	struct profile *empty;

	assert_int_equal(profile_new(&empty), 0);
	live_free(v->live);
	v->live = live_fixture_new(false, true);
	assert_int_equal(live_update(v->live, empty, &facts, begun), 0);
	assert_int_equal(live_due_ns(v->live), begun + tenth);
	assert_hides(v, "helper");
	assert_int_equal(live_update(v->live, v->fixture.profile, &facts, begun + tenth), 0);
	assert_shows(v, "helper");
	assert_int_equal(live_update(v->live, v->fixture.profile, &facts, begun + 10 * tenth), 0);
	assert_int_equal(live_due_ns(v->live), begun + 20 * tenth);
	profile_free(empty);
}

/* The first update has all CPU time since sampling began, so its rates are over that time. */
static void test_live__rates_count_from_the_beginning(void **state)
{
	struct view *v = *state;
	struct live_facts facts = {
		.target = "demo", .state = LIVE_RUNS, .begun_ns = 10 * LIVE_SECOND_NS};

	live_free(v->live);
	v->live = live_fixture_new(false, true);
	assert_int_equal(live_update(v->live, v->fixture.profile, &facts, 20 * LIVE_SECOND_NS), 0);
	/* 3.56 s of CPU time in 10 s, of which nothing else is known. */
	type(v, "H");
	assert_shows(v, " 35.6 ");
	/* A pause of 10 s, a half-life, with 4 s of CPU time: (35.6 % / 2 + 40 %) / (1 / 2 + 1). */
	type(v, "p");
	fixture_add(v->fixture.profile, v->fixture.task,
		(uint32_t[]){v->fixture.work[5], v->fixture.main_at}, 2, 1000);
	type(v, "p");
	assert_int_equal(live_update(v->live, v->fixture.profile, &facts, 30 * LIVE_SECOND_NS), 0);
	assert_shows(v, " 38.5 ");
}

/*
 * In ten half-lives without an update, the weights of samples differ, which makes them worth fewer:
 * n (mean weight)^2 / (mean square) = n 2 / (10 ln 2) (1 - 2^-10)^2 / (1 - 2^-20).
 */
static void test_live__samples_of_a_pause_count_less(void **state)
{
	struct view *v = *state;
	struct live_weights weights;
	double all, recent;

	live_weights_init(&weights, (double)LIVE_SECOND_NS);
	live_weights_begin(&weights, LIVE_SECOND_NS);
	assert_int_equal(
		live_weights_update(&weights, v->fixture.profile, NULL, 0, 11 * LIVE_SECOND_NS), 0);
	all = live_weights_effective(&weights, VALUE_SAMPLES, false);
	recent = live_weights_effective(&weights, VALUE_SAMPLES, true);
	assert_in_range((uint64_t)(recent / all * 10000), 2879, 2880);
	live_weights_release(&weights);
}

static void test_live__the_end_leaves_the_data(void **state)
{
	struct view *v = *state;
	const struct live_facts facts = {.target = "demo --fast", .state = LIVE_ENDED, .status = 3};

	type(v, "z");
	assert_int_equal(live_update(v->live, v->fixture.profile, &facts, 20 * LIVE_SECOND_NS), 0);
	assert_shows(v, "ended, status 3");
	assert_int_equal(live_update(v->live, v->fixture.profile, &facts, 900 * LIVE_SECOND_NS), 0);
	assert_selected(v, "helper");
	type(v, "]");
	assert_shows(v, "sampling has ended");
	type(v, "gp");
	assert_shows(v, "sampling has ended");
	assert_hides(v, "PAUSED");
	type(v, "g");
	type(v, "gE");
	assert_shows(v, "helper");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(pause_keeps_the_rows),
		TEST(decay_forgets_the_past),
		TEST(decay_lives_long),
		TEST(reset),
		TEST(one_clock_only),
		TEST(other_clocks),
		TEST(a_clock_without_time_says_so),
		TEST(first_names_do_not_wait_for_a_delay),
		TEST(rates_count_from_the_beginning),
		TEST(samples_of_a_pause_count_less),
		TEST(the_end_leaves_the_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
