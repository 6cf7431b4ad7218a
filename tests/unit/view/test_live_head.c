/* SPDX-License-Identifier: MIT */
/* The head of the live view: the target's state and the audit. */
#include "tests/unit/live_screen_fixture.h"

static void test_live__head_tells_the_audit(void **state)
{
	struct view *v = *state;

	/*
	 * 4 s of CPU in 5 s. 3.92 of 4 s found, in 950 samples at 1250 instants: n = 969 expected,
	 * a standard error of sqrt(1 / n + 1 / n^2) = 3.21 %. Cost 60 ms of 4 s; 40 ms stopped.
	 */
	assert_shows(v, "demo --fast");
	assert_shows(v, "running");
	assert_shows(v, " 80.0 %");
	assert_shows(v,
		"found 98.0 \xc2\xb1"
		"6.3 %");
	assert_shows(v, "late 0.1 %");
	assert_shows(v, "real time");
	assert_shows(v, "cost 1.50 % (max 2)");
	assert_shows(v, "stopped 0.99 %");
	assert_shows(v, "lost 1");
	assert_shows(v, "250 Hz");
	assert_shows(v, "totals");
}

static void test_live__head_warns_of_what_was_not_found(void **state)
{
	struct view *v = *state;
	struct profile *p = v->fixture.profile;

	assert_int_equal(profile_set_audit(p, "found_ns", 3000 * (uint64_t)FIXTURE_MS), 0);
	assert_int_equal(profile_set_audit(p, "realtime", 0), 0);
	assert_int_equal(profile_set_audit(p, "late_instants", 250), 0);
	assert_int_equal(profile_set_audit(p, "wall_ns", 6 * LIVE_SECOND_NS), 0);
	look(v, 12);
	assert_shows(v, "found 75.0 ");
	assert_shows(v, "late 20.0 %");
	assert_shows(v, "no real-time priority");
}

/* A thread was on a CPU for 0.5 s and off it for 3.5 s: 1000 periods of 4 ms. */
static void test_live__the_rate_is_of_the_clock_that_ticks(void **state)
{
	struct view *v = *state;
	struct profile *p = v->fixture.profile;
	int64_t values[VALUE_TYPES_MAX] = {1000, LIVE_SECOND_NS / 2, 4 * LIVE_SECOND_NS};
	uint32_t stack[] = {v->fixture.work[20], v->fixture.main_at};

	profile_set_default_value(p, (size_t)profile_add_value_type(p, "wall", "nanoseconds"));
	assert_int_equal(profile_add_sample(p, v->fixture.task, stack, 2, values), 0);
	assert_int_equal(profile_set_audit(p, "wall_ns", 6 * LIVE_SECOND_NS), 0);
	assert_int_equal(profile_set_audit(p, "kernel_cpu_ns",
				 4000 * (uint64_t)FIXTURE_MS + LIVE_SECOND_NS / 2),
		0);
	assert_int_equal(profile_set_audit(p, "runqueue_ns", LIVE_SECOND_NS / 2), 0);
	assert_int_equal(profile_set_audit(p, "blocked_ns", 3 * LIVE_SECOND_NS), 0);
	look(v, 12);
	assert_shows(v, "250 Hz, got 250 ");
}

/* With --delay, figures start again when the delay is over: 475 samples in 2 s. */
static void test_live__the_head_follows_the_end_of_a_delay(void **state)
{
	struct view *v = *state;
	struct profile *p = v->fixture.profile;

	assert_int_equal(profile_set_audit(p, "wall_ns", 4 * LIVE_SECOND_NS), 0);
	assert_int_equal(profile_set_audit(p, "kernel_cpu_ns", 2 * LIVE_SECOND_NS), 0);
	look(v, 12);
	assert_shows(v, "CPU  50.0 %");
	assert_shows(v, "250 Hz, got 475 ");
}

/*
 * 950 samples in 4 s, 50 in the next second, and the target ends: 200 Hz of all 5 s. The samples
 * stand for 5.8 s: sampling found more than the kernel's time.
 */
static void test_live__the_rate_of_what_has_ended_is_that_of_the_run(void **state)
{
	struct view *v = *state;
	struct profile *p = v->fixture.profile;
	const struct live_facts facts = {.target = "demo", .state = LIVE_ENDED};
	int64_t values[VALUE_TYPES_MAX] = {50, 2 * LIVE_SECOND_NS};
	uint32_t stack[] = {v->fixture.work[20], v->fixture.main_at};

	assert_int_equal(profile_add_sample(p, v->fixture.task, stack, 2, values), 0);
	assert_int_equal(profile_set_audit(p, "wall_ns", 6 * LIVE_SECOND_NS), 0);
	assert_int_equal(profile_set_audit(p, "kernel_cpu_ns", 5 * LIVE_SECOND_NS), 0);
	look(v, 12);
	assert_shows(v, "250 Hz, got 50 ");
	assert_int_equal(live_update(v->live, p, &facts, 13 * LIVE_SECOND_NS), 0);
	assert_shows(v, "250 Hz, got 200 ");
}

static void test_live__the_state_is_whole(void **state)
{
	struct view *v = *state;
	const struct live_facts facts = {.target = "a-command --with --very --many --long "
						   "--arguments --so --that --no --line --is "
						   "--wide --enough --for --all --of --them",
		.state = LIVE_ENDED,
		.status = 255};

	assert_int_equal(live_update(v->live, v->fixture.profile, &facts, 20 * LIVE_SECOND_NS), 0);
	for (unsigned columns = 60; columns < 130; columns++) {
		if (!strstr(shown(v, columns, 20), "  ended, status 255  "))
			fail_msg("of %u columns the state is cut:\n%s", columns, v->text);
	}
}

/* In the first second, there may be samples but no figures, or neither. */
static void test_live__a_busy_target_is_not_idle_in_its_first_second(void **state)
{
	struct view *v = *state;
	struct live *live = live_fixture_new(false, true);
	struct profile *empty;

	assert_int_equal(profile_new(&empty), 0);
	live_free(v->live);
	v->live = live;
	assert_int_equal(live_fixture_look(live, empty, 1), 0);
	assert_hides(v, "idle");
	assert_hides(v, "running");
	assert_int_equal(profile_set_audit(v->fixture.profile, "wall_ns", 0), 0);
	assert_shows(v, " the audit comes after");
	look(v, 2);
	assert_shows(v, "running");
	/* Without figures, samples tell the use of CPUs: 3.804 s of CPU time in 4 s. */
	live_free(v->live);
	v->live = live_fixture_new(false, true);
	assert_int_equal(
		live_update(v->live, v->fixture.profile,
			&(struct live_facts){
				.target = "demo", .state = LIVE_RUNS, .begun_ns = LIVE_SECOND_NS},
			5 * LIVE_SECOND_NS),
		0);
	assert_shows(v, "CPU  95.1 %");
	profile_free(empty);
}

static void test_live__a_stopped_target_is_not_idle(void **state)
{
	struct view *v = *state;
	struct live_facts facts = {.target = "demo", .state = LIVE_RUNS};

	/* The target took CPU time in the last second. */
	live_tell_stopped(v->live, true);
	assert_int_equal(live_update(v->live, v->fixture.profile, &facts, 12 * LIVE_SECOND_NS), 0);
	assert_shows(v, "running");
	assert_int_equal(profile_set_audit(v->fixture.profile, "wall_ns", 7 * LIVE_SECOND_NS), 0);
	assert_int_equal(live_update(v->live, v->fixture.profile, &facts, 13 * LIVE_SECOND_NS), 0);
	assert_shows(v, "stopped by a signal");
	live_tell_stopped(v->live, false);
	assert_int_equal(live_update(v->live, v->fixture.profile, &facts, 14 * LIVE_SECOND_NS), 0);
	assert_shows(v, "idle");
}

/* At any width, a gap separates the target's state from the rest. */
static void test_live__a_narrow_head_keeps_its_gaps(void **state)
{
	struct view *v = *state;

	for (unsigned columns = 20; columns < 90; columns++) {
		const char *head = shown(v, columns, 12), *word = strstr(head, "running");

		assert_non_null(word);
		assert_true(word > head && word[-1] == ' ');
		assert_true(word[7] == ' ' || word[7] == '\n');
	}
}

/* "redis-server (9388" would be half a pid: the pid is left out instead. */
static void test_live__a_narrow_head_has_no_half_pid(void **state)
{
	struct view *v = *state;
	const struct live_facts facts = {.target = "redis-server (9388)", .state = LIVE_RUNS};

	assert_int_equal(live_update(v->live, v->fixture.profile, &facts, 20 * LIVE_SECOND_NS), 0);
	assert_non_null(strstr(shown(v, 100, 12), "redis-server (9388)  "));
	for (unsigned columns = 20; columns < 90; columns++) {
		const char *head = shown(v, columns, 12), *open = strchr(head, '(');
		size_t line = strcspn(head, "\n");

		if (open && open < head + line)
			assert_true(strncmp(open, "(9388)  ", 8) == 0);
	}
}

/* 3 % of a CPU in a second after one with 80 %: it is not shown as an idle one. */
static void test_live__a_little_cpu_time_is_visible(void **state)
{
	struct view *v = *state;
	struct profile *p = v->fixture.profile;

	live_free(v->live);
	v->live = live_fixture_new(true, true);
	look(v, 10);
	assert_int_equal(profile_set_audit(p, "wall_ns", 6 * LIVE_SECOND_NS), 0);
	assert_int_equal(profile_set_audit(p, "kernel_cpu_ns", 4030 * (uint64_t)FIXTURE_MS), 0);
	look(v, 11);
	assert_shows(v, "3.0 % #.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(head_tells_the_audit),
		TEST(head_warns_of_what_was_not_found),
		TEST(the_rate_is_of_the_clock_that_ticks),
		TEST(the_head_follows_the_end_of_a_delay),
		TEST(the_rate_of_what_has_ended_is_that_of_the_run),
		TEST(the_state_is_whole),
		TEST(a_narrow_head_has_no_half_pid),
		TEST(a_busy_target_is_not_idle_in_its_first_second),
		TEST(a_stopped_target_is_not_idle),
		TEST(a_narrow_head_keeps_its_gaps),
		TEST(a_little_cpu_time_is_visible),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
