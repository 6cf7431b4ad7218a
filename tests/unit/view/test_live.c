/* SPDX-License-Identifier: MIT */
/* Lists, trees and code: rows, shares, folding, zoom, order, search, filter. */
#include "tests/unit/live_screen_fixture.h"

static void test_live__functions_hottest_first(void **state)
{
	struct view *v = *state;

	/* helper: 200 of 3804 ms; work_00: 160 ms; main is in all but the unsampled. */
	assert_shows(v, "helper");
	assert_selected(v, "5.26");
	assert_selected(v, "helper");
	press(v, LIVE_KEY_DOWN);
	assert_selected(v, "4.21");
	assert_selected(v, "work_00");
	assert_shows(v, "99.89");
}

/* A row's time is its weight times a factor, 0.5 for work_00; numbers of samples stay. */
static void test_live__weights_are_multiplied_by_factors(void **state)
{
	struct view *v = *state;
	float factor[] = {1, 1, 1, 1, 1, 0.5F};
	const struct live_facts facts = {.target = "demo",
		.state = LIVE_RUNS,
		.factor = factor,
		.factors = sizeof(factor) / sizeof(*factor)};

	assert_int_equal(live_update(v->live, v->fixture.profile, &facts, 12 * LIVE_SECOND_NS), 0);
	/* work_00 has 80 ms of 3804 - 80 ms, and helper 200 ms. */
	assert_shows(v, "2.15");
	assert_shows(v, "5.37");
	/* Decaying weights have the factors, too. */
	type(v, "z");
	assert_shows(v, "2.15");
	type(v, "r");
	assert_shows(v, "no samples");
}

static void test_live__lines_and_back(void **state)
{
	struct view *v = *state;

	type(v, "l");
	assert_shows(v, "work.c:22");
	assert_shows(v, "compute.cc:25");
	type(v, "l");
	assert_hides(v, "work.c:22");
	assert_shows(v, "Functions");
}

static void test_live__tree_opens_along_the_hottest_path(void **state)
{
	struct view *v = *state;

	type(v, "g");
	assert_shows(v, "main");
	assert_shows(v, "dispatch");
	assert_shows(v, "work_00"); /* dispatch is unfolded: 87 % of main */
	assert_hides(v, "helper");  /* it is below demo::compute, which is folded */
	assert_shows(v, "demo::compute(int)");
}

static void test_live__tree_folds(void **state)
{
	struct view *v = *state;

	type(v, "gj-"); /* folds dispatch */
	assert_selected(v, "dispatch");
	assert_hides(v, "work_00");
	type(v, "+");
	assert_shows(v, "work_00");
	type(v, "C");
	assert_hides(v, "dispatch");
	type(v, "E");
	assert_shows(v, "helper");
	type(v, "C*");
	press(v, LIVE_KEY_HOME);
	type(v, "*");
	assert_shows(v, "helper");
	press(v, LIVE_KEY_LEFT);
	assert_hides(v, "helper");
	press(v, LIVE_KEY_RIGHT);
	assert_shows(v, "dispatch");
}

static void test_live__tree_folds_recursion(void **state)
{
	struct view *v = *state;
	const char *first;

	type(v, "gE");
	first = strstr(shown(v, 120, 60), "walk");
	assert_non_null(first);
	assert_null(strstr(first + 1, "walk"));
}

static void test_live__threads_also_those_that_sleep(void **state)
{
	struct view *v = *state;

	type(v, "H");
	look(v, 11);
	assert_shows(v, "worker");
	assert_shows(v, "idle");
	assert_shows(v, "left out");
	/* 820 + 30 + 40 samples of 4 ms */
	assert_shows(v, "3.56");
	assert_shows(v, "0.00");
}

/* The state of a stopped tracee is 't', shown as 'T' if the target is known to be stopped. */
static void test_live__threads_that_a_signal_has_stopped(void **state)
{
	static const struct live_thread threads[] = {
		{100, 100, 't', "demo", false}, {100, 101, 'S', "worker", false}};
	const struct live_facts facts = {.target = "demo",
		.state = LIVE_RUNS,
		.status = -1,
		.thread = threads,
		.threads = 2};
	struct view *v = *state;

	type(v, "H");
	for (int stopped = 0; stopped < 2; stopped++) {
		live_tell_stopped(v->live, stopped);
		assert_int_equal(live_update(v->live, v->fixture.profile, &facts,
					 (11 + 10 * (uint64_t)stopped) * LIVE_SECOND_NS),
			0);
		assert_shows(v, stopped ? "  T       100  demo" : "  t       100  demo");
		assert_shows(v, "  S       101  worker");
	}
}

/* The kernel's CPU time replaces the time of a thread's samples. */
static void test_live__threads_have_the_time_of_the_kernel(void **state)
{
	struct view *v = *state;

	assert_int_equal(profile_add_task_cpu(v->fixture.profile, v->fixture.task, 77000000), 0);
	type(v, "H");
	look(v, 11);
	assert_shows(v, "0.08");
	assert_hides(v, "3.56");
	type(v, "r");
	(void)profile_add_task_cpu(v->fixture.profile, v->fixture.task, 550000000);
	look(v, 12);
	assert_shows(v, "0.55");
}

static void test_live__enter_zooms_into_callers_and_callees(void **state)
{
	struct view *v = *state;

	type(v, "/^dispatch$\r\r");
	assert_shows(v, "Callers and callees");
	assert_shows(v, "caller");
	assert_shows(v, "main");
	assert_shows(v, "work_00");
	assert_hides(v, "helper");
	/* 160 ms of dispatch's 3320 ms */
	assert_shows(v, "4.82");
	type(v, "\x1b");
	assert_shows(v, "helper");
	assert_selected(v, "dispatch");
}

static void test_live__zoom_into_a_thread(void **state)
{
	struct view *v = *state;

	type(v, "t");
	look(v, 11);
	type(v, "/^demo$\r\r");
	assert_shows(v, "thread 100");
	assert_hides(v, "work_00");
	/* 200 of 244 ms */
	assert_shows(v, "81.97");
	type(v, "t");
	assert_shows(v, "work_00");
}

static void test_live__zoom_into_an_object(void **state)
{
	struct view *v = *state;

	type(v, "/foo_read\rd");
	assert_shows(v, "object libfoo.so.1");
	assert_hides(v, "work_00");
	assert_shows(v, "60.00"); /* 15 of 25 */
	type(v, "d");
	assert_shows(v, "work_00");
}

/* Samples with frames in both mappings count once: 30 samples of 4 ms, of 3.824 s. */
static void test_live__object_of_two_mappings(void **state)
{
	static const struct mapping again = {.file = "/usr/lib/libfoo.so.1",
		.build_id = "bb02",
		.start = 0x9000,
		.limit = 0xa000,
		.offset = 0x9000};
	struct view *v = *state;
	struct profile *p = v->fixture.profile;
	uint32_t second = fixture_index(profile_add_mapping(p, &again));
	uint32_t there = live_fixture_place(p, second, 0x9100, "foo_init", "foo.c", 90);
	uint32_t in_first = fixture_location(p, 1, 0x2400, NULL, 0);

	fixture_add(p, v->fixture.task, (uint32_t[]){there, in_first, v->fixture.main_at}, 3, 5);
	type(v, "o");
	look(v, 11);
	press(v, LIVE_KEY_DOWN);
	assert_selected(v, "libfoo.so.1");
	assert_selected(v, "  3.14    1.1     3.14 ");
	press(v, LIVE_KEY_DOWN);
	assert_selected(v, "[kernel]");
}

static void test_live__filter_and_limit(void **state)
{
	struct view *v = *state;

	type(v, "\\WORK_0\r");
	assert_hides(v, "work_00"); /* capitals in a pattern must match */
	assert_shows(v, "nothing matches");
	type(v, "\\\x15work_0\r");
	assert_shows(v, "work_09");
	assert_hides(v, "work_10");
	assert_shows(v, "filter work_0");
	type(v, "\\\x15\r");
	assert_shows(v, "work_10");
	type(v, "L4\r");
	assert_shows(v, "work_01"); /* 39 of 951: 4.1 % */
	assert_hides(v, "work_03");
	type(v, "L\x15nonsense\r");
	assert_shows(v, "give percent");
}

static void test_live__filter_of_the_tree_keeps_callers(void **state)
{
	struct view *v = *state;

	type(v, "g\\work_07\r");
	assert_shows(v, "main");
	assert_shows(v, "dispatch");
	assert_shows(v, "work_07");
	assert_hides(v, "work_08");
}

static void test_live__search_goes_round(void **state)
{
	struct view *v = *state;

	type(v, "/work_3\r");
	assert_selected(v, "work_30");
	type(v, "n");
	assert_selected(v, "work_31");
	type(v, "NN");
	assert_selected(v, "work_39");
	type(v, "/operator(\r"); /* no regular expression */
	assert_shows(v, "not found");
	type(v, "/std::map<\r");
	assert_selected(v, "std::map<");
	assert_true(style_at(v, "std::map<") & STYLE_MATCH);
}

static void test_live__search_opens_the_tree(void **state)
{
	struct view *v = *state;

	type(v, "gC/helper\r");
	assert_selected(v, "helper");
}

static void test_live__sorting(void **state)
{
	struct view *v = *state;

	type(v, ">"); /* by total */
	press(v, LIVE_KEY_HOME);
	assert_selected(v, "99.89");
	type(v, "I");
	press(v, LIVE_KEY_HOME);
	assert_selected(v, "0.11");
	type(v, ">>"); /* by seconds, then by function */
	press(v, LIVE_KEY_HOME);
	assert_selected(v, "[libfoo.so.1]");
	type(v, "<<<");
	press(v, LIVE_KEY_HOME);
	assert_selected(v, "helper");
}

static void test_live__a_click_on_a_title_sorts(void **state)
{
	struct view *v = *state;
	const struct live_key click = {LIVE_KEY_CLICK, 3, 18};

	(void)shown(v, 120, 30); /* the title TOTAL% ends at 24 */
	assert_int_equal(live_press(v->live, click), 0);
	press(v, LIVE_KEY_HOME);
	assert_selected(v, "99.89");
	assert_int_equal(live_press(v->live, (struct live_key){LIVE_KEY_CLICK, 5, 30}), 0);
	assert_selected(v, "dispatch"); /* row 4 is main, row 5 its hottest callee */
	press(v, LIVE_KEY_WHEEL_DOWN);
	press(v, LIVE_KEY_WHEEL_UP);
	assert_selected(v, "dispatch");
}

static void test_live__source_with_heat(void **state)
{
	struct view *v = *state;

	type(v, "/work_02\ra");
	assert_shows(v, "void work_02(void)");
	/* line 42 of the fixture is work_02: 38 samples of 951 */
	assert_selected(v, "4.00");
	assert_selected(v, "line 42;");
	type(v, "\x1b/foo_read\ra");
	assert_shows(v, "the source file foo.c is not here");
	type(v, "\x1b/unsampled\ra");
	assert_shows(v, "no line is known of [unsampled]");
}

/* The note is above the source, if there is room for it. */
static void test_live__source_newer_than_the_profile(void **state)
{
	static const char note[] = "work.c is newer than the profile: lines may not fit";
	struct view *v = *state;
	uint64_t began_ns = profile_realtime_ns(v->fixture.profile);
	char *first;

	*live_fixture_changed_ns() = began_ns;
	type(v, "/work_02\ra");
	assert_hides(v, note);
	type(v, "\x1b");
	*live_fixture_changed_ns() = began_ns + 1;
	type(v, "a");
	assert_shows(v, note);
	assert_int_equal(style_at(v, note), STYLE_WARN);
	assert_selected(v, "line 42;");
	assert_non_null(strstr(shown(v, 60, 12), note));
	assert_non_null(strstr(shown(v, 60, 12), "line 42;"));
	assert_non_null(strstr(shown(v, 60, 8), note));
	assert_non_null(strstr(shown(v, 60, 8), "line 42;"));
	assert_null(strstr(shown(v, 60, 7), note));
	assert_non_null(strstr(shown(v, 60, 7), "line 42;"));
	/* Rows begin below the note: a click on the note moves nothing. */
	(void)shown(v, 60, 12);
	assert_int_equal(live_press(v->live, (struct live_key){LIVE_KEY_CLICK, 5, 30}), 0);
	first = strdup(selected(v));
	assert_non_null(first);
	(void)shown(v, 60, 12);
	assert_int_equal(live_press(v->live, (struct live_key){LIVE_KEY_CLICK, 4, 30}), 0);
	assert_string_equal(selected(v), first);
	(void)shown(v, 60, 12);
	assert_int_equal(live_press(v->live, (struct live_key){LIVE_KEY_CLICK, 6, 30}), 0);
	assert_string_not_equal(selected(v), first);
	free(first);
	type(v, "\x1b");
	assert_hides(v, note);
	*live_fixture_changed_ns() = 0;
}

static void test_live__disassembly_with_heat(void **state)
{
	struct view *v = *state;

	type(v, "/work_00\rA");
	assert_selected(v, "3100:");
	assert_selected(v, "4.21");
	type(v, "A");
	assert_shows(v, "Functions");
}

static void test_live__calls_can_be_hidden(void **state)
{
	struct view *v = *state;

	assert_shows(v, "[syscall] read");
	type(v, "K");
	assert_hides(v, "[syscall] read");
	type(v, "/dispatch\r");
	assert_selected(v, "1.05"); /* it has read's 10 samples of 951 */
	type(v, "gE");
	assert_hides(v, "[syscall] read");
	type(v, "K");
	assert_shows(v, "[syscall] read");
}

static void test_live__noise_is_dim(void **state)
{
	struct view *v = *state;

	/* one sample: the interval reaches from nearly 0 to five times its share */
	assert_int_equal(style_at(v, "work_39"), STYLE_DIM);
	assert_int_equal(style_at(v, "work_00"), STYLE_TEXT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(functions_hottest_first),
		TEST(weights_are_multiplied_by_factors),
		TEST(lines_and_back),
		TEST(tree_opens_along_the_hottest_path),
		TEST(tree_folds),
		TEST(tree_folds_recursion),
		TEST(threads_also_those_that_sleep),
		TEST(threads_that_a_signal_has_stopped),
		TEST(threads_have_the_time_of_the_kernel),
		TEST(enter_zooms_into_callers_and_callees),
		TEST(zoom_into_a_thread),
		TEST(zoom_into_an_object),
		TEST(object_of_two_mappings),
		TEST(filter_and_limit),
		TEST(filter_of_the_tree_keeps_callers),
		TEST(search_goes_round),
		TEST(search_opens_the_tree),
		TEST(sorting),
		TEST(a_click_on_a_title_sorts),
		TEST(source_with_heat),
		TEST(source_newer_than_the_profile),
		TEST(disassembly_with_heat),
		TEST(calls_can_be_hidden),
		TEST(noise_is_dim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
