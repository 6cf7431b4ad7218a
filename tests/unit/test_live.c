/* SPDX-License-Identifier: MIT */
/*
 * What the live view shows and does, without a terminal: screens of a profile made by hand.
 *
 * Shares that are asserted follow from the fixture: of 980 samples of 4 ms (100 + 820 + 30, and 30
 * of the fixture's own are in worker) and 4 ms unsampled, that is 3.804 s, work_00 has 40 samples,
 * 160 ms.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/live_fixture.h"
#include "view/live_keys.h"

struct view {
	struct live_fixture fixture;
	struct live *live;
	struct screen screen;
	char *text;
};

static int setup(void **state)
{
	struct view *v = calloc(1, sizeof(*v));

	live_fixture_init(&v->fixture);
	v->live = live_fixture_new(false, true);
	*state = v;
	return live_fixture_look(v->live, v->fixture.profile, 10);
}

static int teardown(void **state)
{
	struct view *v = *state;

	live_free(v->live);
	screen_release(&v->screen);
	profile_free(v->fixture.profile);
	free(v->text);
	free(v);
	return 0;
}

/* The screen as text, until the next call. */
static const char *shown(struct view *v, unsigned columns, unsigned rows)
{
	size_t bytes;
	FILE *out;

	assert_int_equal(screen_resize(&v->screen, rows, columns), 0);
	assert_int_equal(live_draw(v->live, &v->screen), 0);
	free(v->text);
	out = open_memstream(&v->text, &bytes);
	screen_print(&v->screen, out);
	assert_int_equal(fclose(out), 0);
	return v->text;
}

static void type(struct view *v, const char *keys)
{
	assert_int_equal(live_fixture_type(v->live, keys), 0);
}

static void press(struct view *v, int32_t key)
{
	assert_int_equal(live_press(v->live, (struct live_key){.code = key}), 0);
}

static void look(struct view *v, uint64_t second)
{
	assert_int_equal(live_fixture_look(v->live, v->fixture.profile, second), 0);
}

static void assert_shows(struct view *v, const char *what)
{
	if (!strstr(shown(v, 120, 80), what))
		fail_msg("the screen has no '%s':\n%s", what, v->text);
}

static void assert_hides(struct view *v, const char *what)
{
	if (strstr(shown(v, 120, 80), what))
		fail_msg("the screen has '%s':\n%s", what, v->text);
}

/* The line that the cursor is on. */
static const char *selected(struct view *v)
{
	static char line[1024];
	size_t n = 0;

	(void)shown(v, 120, 80);
	for (unsigned row = 0; row < v->screen.rows; row++) {
		const struct screen_cell *cell = v->screen.cell + row * v->screen.columns;

		if (!(cell[0].style & STYLE_SELECTED))
			continue;
		for (unsigned i = 0; i < v->screen.columns && n < sizeof(line) - 1; i++)
			line[n++] = cell[i].character < 0x80 ? (char)cell[i].character : '?';
	}
	line[n] = '\0';
	return line;
}

static void assert_selected(struct view *v, const char *what)
{
	if (!strstr(selected(v), what))
		fail_msg("'%s' is selected, not '%s'", selected(v), what);
}

static unsigned style_at(struct view *v, const char *what)
{
	(void)shown(v, 120, 80);
	for (unsigned row = 3; row < v->screen.rows; row++) {
		const struct screen_cell *cell = v->screen.cell + row * v->screen.columns;

		for (unsigned i = 0; i + strlen(what) <= v->screen.columns; i++) {
			size_t n = 0;

			while (what[n] && cell[i + n].character == what[n])
				n++;
			if (!what[n])
				return cell[i].style;
		}
	}
	fail_msg("the screen has no '%s'", what);
	return 0;
}

static void test_live__functions_hottest_first(void **state)
{
	struct view *v = *state;

	/* helper: 50 samples, 200 ms of 3804 ms; work_00: 160 ms; main is in all but the unsampled.
	 */
	assert_shows(v, "helper");
	assert_selected(v, "5.26");
	assert_selected(v, "helper");
	press(v, LIVE_KEY_DOWN);
	assert_selected(v, "4.21");
	assert_selected(v, "work_00");
	assert_shows(v, "99.89");
}

static void test_live__head_tells_the_audit(void **state)
{
	struct view *v = *state;

	/*
	 * 4 s of CPU in 5 s; 3.92 s of 4 s found, in 950 samples at 1250 instants: n = 969
	 * expected, a standard error of sqrt(0.24 / n + 1 / n^2) = 1.58 %; 40 ms stopped of 4.04 s.
	 */
	assert_shows(v, "demo --fast");
	assert_shows(v, "running");
	assert_shows(v, " 80.0 %");
	assert_shows(v,
		"found 98.0 \xc2\xb1"
		"3.1 %");
	assert_shows(v, "late 0.1 %");
	assert_shows(v, "real time");
	assert_shows(v, "stopped 0.99 % (max 2)");
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

/* Weights become time: all of helper's, half of work_00's. Counts are what they are. */
static void test_live__weights_are_multiplied_by_factors(void **state)
{
	struct view *v = *state;
	float factor[] = {1, 1, 1, 1, 1, 0.5F};
	const struct live_facts facts = {.target = "demo",
		.state = LIVE_RUNS,
		.factor = factor,
		.factors = sizeof(factor) / sizeof(*factor)};

	assert_int_equal(live_update(v->live, v->fixture.profile, &facts, 12 * LIVE_SECOND_NS), 0);
	/* 80 ms of 3804 - 80 ms, and 200 ms. */
	assert_shows(v, "2.15");
	assert_shows(v, "5.37");
	/* The same with a past that fades. */
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
	assert_shows(v, "work_00"); /* dispatch is open: it has 87 % of main */
	assert_hides(v, "helper");  /* beneath demo::compute, which is not */
	assert_shows(v, "demo::compute(int)");
}

static void test_live__tree_folds(void **state)
{
	struct view *v = *state;

	type(v, "gj-"); /* dispatch */
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
	/* 200 ms of its 244 ms */
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

static void test_live__filter_and_limit(void **state)
{
	struct view *v = *state;

	type(v, "\\WORK_0\r");
	assert_hides(v, "work_00"); /* capitals are meant */
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

	type(v, ">"); /* total */
	press(v, LIVE_KEY_HOME);
	assert_selected(v, "99.89");
	type(v, "I");
	press(v, LIVE_KEY_HOME);
	assert_selected(v, "0.11");
	type(v, ">>"); /* seconds, function */
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
	assert_selected(v, "dispatch"); /* row 4 is main, row 5 what it mostly calls */
	press(v, LIVE_KEY_WHEEL_DOWN);
	press(v, LIVE_KEY_WHEEL_UP);
	assert_selected(v, "dispatch");
}

static void test_live__source_with_heat(void **state)
{
	struct view *v = *state;

	type(v, "/work_02\ra");
	assert_shows(v, "void work_02(void)");
	/* The fixture's line of work_02 is 42: 38 samples of 951. */
	assert_selected(v, "4.00");
	assert_selected(v, "line 42;");
	type(v, "\x1b/foo_read\ra");
	assert_shows(v, "the source file foo.c is not here");
	type(v, "\x1b/unsampled\ra");
	assert_shows(v, "no line is known of [unsampled]");
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
	type(v, "p");
	look(v, 13);
	assert_selected(v, "work_39");
}

static void test_live__decay_forgets_the_past(void **state)
{
	struct view *v = *state;

	type(v, "z");
	assert_shows(v, "last 10 s");
	/* Ten half-lives on, 951 samples weigh less than one. */
	look(v, 110);
	fixture_add(v->fixture.profile, v->fixture.task,
		(uint32_t[]){v->fixture.work[39], v->fixture.dispatch_at, v->fixture.main_at}, 3,
		50);
	look(v, 111);
	assert_selected(v, "work_39");
	assert_selected(v, "98."); /* 50 / (50 + 951 / 1024) */
	type(v, "z");
	assert_selected(v, "work_39"); /* 51 of 1001 in all */
	assert_selected(v, "5.0");
}

static void test_live__decay_lives_long(void **state)
{
	struct view *v = *state;

	type(v, "z");
	/* Units are renewed after 40 half-lives; what is sampled steadily stays at 100 %. */
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

static void test_live__calls_can_be_hidden(void **state)
{
	struct view *v = *state;

	assert_shows(v, "[syscall] read");
	type(v, "K");
	assert_hides(v, "[syscall] read");
	type(v, "/dispatch\r");
	assert_selected(v, "1.05"); /* 10 of 951, now its own */
	type(v, "gE");
	assert_hides(v, "[syscall] read");
	type(v, "K");
	assert_shows(v, "[syscall] read");
}

static void test_live__requests(void **state)
{
	struct view *v = *state;
	struct control *control = live_control(v->live);

	type(v, "]");
	assert_int_equal(control->period_ns, 2000000);
	type(v, "[[");
	assert_int_equal(control->period_ns, 10000000);
	type(v, "f");
	assert_true(control->change_freeze && control->freeze);
	assert_shows(v, "frozen");
	type(v, "f");
	assert_true(control->change_freeze && !control->freeze);
	type(v, "\x0c");
	assert_true(control->redraw);
	type(v, "w\x15/tmp/x.svg\r");
	assert_string_equal(control->save_as, "/tmp/x.svg");
	type(v,
		"s\x15"
		"0.5\r");
	look(v, 30);
	assert_int_equal(live_due_ns(v->live), 30 * LIVE_SECOND_NS + LIVE_SECOND_NS / 2);
	type(v, "q");
	assert_true(control->quit);
}

static void test_live__control_z_says_why_not(void **state)
{
	type(*state, "\x1a");
	assert_shows(*state, "would hold up the target");
	type(*state, "j");
	assert_hides(*state, "would hold up the target");
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
	type(v, "i");
	press(v, LIVE_KEY_HOME);
	assert_selected(v, "helper");
}

/* Half a second on a CPU and 3.5 s not, in 1000 periods of 4 ms. */
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

/* Before the figures of the first second there are samples, or nothing is known. */
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
	/* By the samples alone: 3.804 s in 4 s. */
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
	/* Then the delay is what was asked for. */
	assert_int_equal(
		live_update(v->live, v->fixture.profile, &facts, begun + 10 * tenth), 0);
	assert_int_equal(live_due_ns(v->live), begun + 20 * tenth);
	profile_free(empty);
}

static void test_live__noise_is_dim(void **state)
{
	struct view *v = *state;

	/* One sample of 951: its interval reaches from nearly nothing to five times itself. */
	assert_int_equal(style_at(v, "work_39"), STYLE_DIM);
	assert_int_equal(style_at(v, "work_00"), STYLE_TEXT);
}

static void test_live__help_has_every_key(void **state)
{
	struct view *v = *state;
	const char *keys, *help;

	type(v, "h");
	(void)shown(v, 100, 100);
	for (size_t i = 0; live_key_help(i, &keys, &help); i++) {
		assert_non_null(strstr(v->text, keys));
		assert_non_null(strstr(v->text, help));
	}
	type(v, "h");
	assert_shows(v, "Functions");
}

/* At each size every line of the help can be reached, and where one is can be seen. */
static void test_live__help_scrolls(void **state)
{
	static const unsigned sizes[][2] = {{60, 12}, {80, 24}, {200, 50}};
	struct view *v = *state;
	const char *keys, *help;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		bool seen[LIVE_REQUEST_NONE] = {false};
		unsigned columns = sizes[i][0], rows = sizes[i][1];

		type(v, "h");
		for (unsigned page = 0; page < 12; page++) {
			(void)shown(v, columns, rows);
			for (size_t j = 0; live_key_help(j, &keys, &help); j++)
				seen[j] |= strstr(v->text, help) != NULL;
			press(v, LIVE_KEY_PAGE_DOWN);
		}
		for (size_t j = 0; live_key_help(j, &keys, &help); j++) {
			if (!seen[j])
				fail_msg("'%s' cannot be reached at %ux%u", help, columns, rows);
		}
		assert_non_null(strstr(shown(v, columns, rows), "at once"));
		press(v, LIVE_KEY_HOME);
		assert_non_null(strstr(shown(v, columns, rows), " quit\n"));
		assert_non_null(strstr(v->text, " 1-"));
		press(v, LIVE_KEY_DOWN);
		assert_null(strstr(shown(v, columns, rows), " quit\n"));
		type(v, "h");
	}
}

/* The keys that one must know are on the last line of the narrowest usual terminal. */
static void test_live__foot_has_the_first_keys(void **state)
{
	struct view *v = *state;

	assert_non_null(strstr(shown(v, 60, 12), "F1 Help  q Quit  p Pause"));
	type(v, "g");
	assert_non_null(strstr(shown(v, 80, 24), "F1 Help  q Quit  p Pause"));
	assert_non_null(strstr(v->text, "+ - Fold"));
	type(v, "l/work_00\ra");
	assert_non_null(strstr(shown(v, 80, 24), "Esc Back"));
	type(v, "h");
	assert_non_null(strstr(shown(v, 80, 24), "h Close  PgDn More"));
}

static void test_live__keys_that_do_nothing_say_so(void **state)
{
	static const struct {
		const char *keys, *says;
	} cases[] = {{"x", "'x' is no key here: h shows the keys"}, {"\x07", "^G is no key here"},
		{"oa", "an object has no one source"}, {"\x1b", "nothing is zoomed into: q quits"},
		{"gI", "this view has an order of its own"}, {"l+", "only the call tree folds"},
		{"lE", "only the call tree folds"}, {"h\r", "nothing to zoom into"}};
	struct view *v = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		type(v, cases[i].keys);
		assert_shows(v, cases[i].says);
	}
	press(v, LIVE_KEY_F1 + 6);
	assert_shows(v, "F7 is no key here");
	press(v, LIVE_KEY_DOWN);
	assert_hides(v, "F7");
}

static void test_live__what_is_no_pattern_is_said(void **state)
{
	struct view *v = *state;

	type(v, "\\work(\r");
	assert_shows(v, "no regular expression (Unmatched ( or \\()");
	/* Not only until the next key: nothing is shown for this reason. */
	press(v, LIVE_KEY_DOWN);
	assert_shows(v, "no regular expression (Unmatched");
	type(v,
		"\\\x15"
		"compute(\r");
	assert_shows(v, "demo::compute(int)");
	type(v, "\\\x15\r/[work\r");
	assert_shows(v, "not found: no regular expression (Unmatched [");
}

static void test_live__a_stopped_target_is_not_idle(void **state)
{
	struct view *v = *state;
	struct live_facts facts = {.target = "demo", .state = LIVE_RUNS, .stopped = true};

	/* It took CPU time within the last second. */
	assert_int_equal(live_update(v->live, v->fixture.profile, &facts, 12 * LIVE_SECOND_NS), 0);
	assert_shows(v, "running");
	assert_int_equal(profile_set_audit(v->fixture.profile, "wall_ns", 7 * LIVE_SECOND_NS), 0);
	assert_int_equal(live_update(v->live, v->fixture.profile, &facts, 13 * LIVE_SECOND_NS), 0);
	assert_shows(v, "stopped by a signal");
	facts.stopped = false;
	assert_int_equal(live_update(v->live, v->fixture.profile, &facts, 14 * LIVE_SECOND_NS), 0);
	assert_shows(v, "idle");
}

static void test_live__output_of_the_command(void **state)
{
	type(*state, "O");
	assert_shows(*state, "a line of the command");
	assert_selected(*state, "another one");
	type(*state, "\x1b");
	assert_shows(*state, "Functions");
}

static void test_live__tiny_screens(void **state)
{
	struct view *v = *state;

	for (unsigned rows = 1; rows < 14; rows++) {
		for (unsigned columns = 1; columns < 70; columns++) {
			(void)shown(v, columns, rows);
			type(v, "j");
		}
		type(v, rows % 3 ? "g" : "H");
	}
}

/* However narrow, the target's state does not run into what stands beside it. */
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
	assert_shows(v, "the target has ended");
	type(v, "gE");
	assert_shows(v, "helper");
}

/* Screens as they were looked at and found good: tests/unit/golden/live. SPROFIL_GOLDEN=write
 * writes. */
static void check_golden(const char *name, const char *text)
{
	char path[4096], got[65536];
	FILE *file;
	size_t n;

	(void)snprintf(path, sizeof(path), "%s/live/%s.txt", GOLDEN, name);
	if (getenv("SPROFIL_GOLDEN")) {
		file = fopen(path, "we");
		assert_non_null(file);
		(void)fputs(text, file);
		assert_int_equal(fclose(file), 0);
		return;
	}
	file = fopen(path, "re");
	if (!file)
		fail_msg("%s is missing", path);
	n = fread(got, 1, sizeof(got) - 1, file);
	got[n] = '\0';
	(void)fclose(file);
	if (strcmp(got, text) != 0)
		fail_msg("%s differs from:\n%s", path, text);
}

static void test_live__golden_screens(void **state)
{
	static const struct {
		const char *name, *keys;
		bool ascii;
	} views[] = {{"functions", "", false}, {"lines", "l", false}, {"tree", "gE", false},
		{"threads", "H", false}, {"objects", "o", false},
		{"callers", "/^dispatch\r\r", false}, {"source", "/work_02\ra", false},
		{"disassembly", "/work_00\rA", false}, {"help", "h", false},
		{"filter", "\\work_1\r/15\r", false}, {"prompt", "/wor", false},
		{"functions_ascii", "", true}, {"tree_ascii", "gE", true}};
	static const unsigned sizes[][2] = {{60, 12}, {80, 24}, {200, 50}};

	(void)state;
	for (size_t i = 0; i < sizeof(views) / sizeof(*views); i++) {
		struct view v = {0};

		live_fixture_init(&v.fixture);
		v.live = live_fixture_new(views[i].ascii, true);
		look(&v, 10);
		type(&v, views[i].keys);
		look(&v, 11);
		/* The same view, resized. */
		for (size_t j = 0; j < 3; j++) {
			char name[64];

			(void)snprintf(name, sizeof(name), "%s_%ux%u", views[i].name, sizes[j][0],
				sizes[j][1]);
			check_golden(name, shown(&v, sizes[j][0], sizes[j][1]));
		}
		live_free(v.live);
		screen_release(&v.screen);
		profile_free(v.fixture.profile);
		free(v.text);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(test_live__##name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(functions_hottest_first),
		TEST(head_tells_the_audit),
		TEST(head_warns_of_what_was_not_found),
		TEST(weights_are_multiplied_by_factors),
		TEST(lines_and_back),
		TEST(tree_opens_along_the_hottest_path),
		TEST(tree_folds),
		TEST(tree_folds_recursion),
		TEST(threads_also_those_that_sleep),
		TEST(enter_zooms_into_callers_and_callees),
		TEST(zoom_into_a_thread),
		TEST(zoom_into_an_object),
		TEST(filter_and_limit),
		TEST(filter_of_the_tree_keeps_callers),
		TEST(search_goes_round),
		TEST(search_opens_the_tree),
		TEST(sorting),
		TEST(a_click_on_a_title_sorts),
		TEST(source_with_heat),
		TEST(disassembly_with_heat),
		TEST(pause_keeps_the_rows),
		TEST(decay_forgets_the_past),
		TEST(decay_lives_long),
		TEST(reset),
		TEST(calls_can_be_hidden),
		TEST(requests),
		TEST(control_z_says_why_not),
		TEST(one_clock_only),
		TEST(other_clocks),
		TEST(the_rate_is_of_the_clock_that_ticks),
		TEST(the_state_is_whole),
		TEST(a_busy_target_is_not_idle_in_its_first_second),
		TEST(first_names_do_not_wait_for_a_delay),
		TEST(noise_is_dim),
		TEST(help_has_every_key),
		TEST(help_scrolls),
		TEST(foot_has_the_first_keys),
		TEST(keys_that_do_nothing_say_so),
		TEST(what_is_no_pattern_is_said),
		TEST(a_stopped_target_is_not_idle),
		TEST(output_of_the_command),
		TEST(tiny_screens),
		TEST(a_narrow_head_keeps_its_gaps),
		TEST(the_end_leaves_the_data),
		cmocka_unit_test(test_live__golden_screens),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
