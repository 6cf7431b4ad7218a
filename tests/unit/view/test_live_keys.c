/* SPDX-License-Identifier: MIT */
/* Keys: requests to the program, the help, messages about wrong keys. */
#include "tests/unit/live_screen_fixture.h"
#include "view/live/live_internal.h"

enum { BINDINGS_MOST = 100 };

static void test_live__requests(void **state)
{
	struct view *v = *state;
	struct control *control = live_control(v->live);

	type(v, "]");
	assert_int_equal(control->period_ns, 2000000);
	type(v, "[[");
	assert_int_equal(control->period_ns, 10000000);
	type(v, "[[[[[[");
	assert_int_equal(control->period_ns, 1000000000);
	type(v, "[");
	assert_int_equal(control->period_ns, 1000000000);
	assert_shows(v, "no rate here is lower");
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

/* The first character typed replaces the proposal; editing keys keep it. */
static void test_live__a_proposal_is_replaced_or_edited(void **state)
{
	struct view *v = *state;
	struct control *control = live_control(v->live);

	type(v, "w/tmp/a.svg\r");
	assert_string_equal(control->save_as, "/tmp/a.svg");
	type(v, "w\r");
	assert_string_equal(control->save_as, "/tmp/a.svg");
	type(v, "w\x7f\x7f\x7fpb.gz\r");
	assert_string_equal(control->save_as, "/tmp/a.pb.gz");
	type(v, "w");
	press(v, LIVE_KEY_RIGHT);
	type(v, "2\r");
	assert_string_equal(control->save_as, "/tmp/a.pb.gz2");
	type(v, "s0.5\r");
	look(v, 30);
	assert_int_equal(live_due_ns(v->live), 30 * LIVE_SECOND_NS + LIVE_SECOND_NS / 2);
}

static void test_live__control_z_says_why_not(void **state)
{
	type(*state, "\x1a");
	assert_shows(*state, "^Z works with -p, under a shell");
	type(*state, "j");
	assert_hides(*state, "^Z works with -p, under a shell");
}

static void test_live__help_has_every_key(void **state)
{
	struct view *v = *state;

	type(v, "h");
	(void)shown(v, 100, 100);
	for (size_t i = 0; live_bindings[i].keys; i++) {
		assert_non_null(strstr(v->text, live_bindings[i].keys));
		assert_non_null(strstr(v->text, live_bindings[i].help));
		assert_true(i < BINDINGS_MOST);
	}
	type(v, "h");
	assert_shows(v, "Functions");
}

/* At each size, every line of the help can be reached, and the position is shown. */
static void test_live__help_scrolls(void **state)
{
	static const unsigned sizes[][2] = {{60, 12}, {80, 24}, {200, 50}};
	struct view *v = *state;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		bool seen[BINDINGS_MOST] = {false};
		unsigned columns = sizes[i][0], rows = sizes[i][1];

		type(v, "h");
		for (unsigned page = 0; page < 12; page++) {
			(void)shown(v, columns, rows);
			for (size_t j = 0; live_bindings[j].keys; j++)
				seen[j] |= strstr(v->text, live_bindings[j].help) != NULL;
			press(v, LIVE_KEY_PAGE_DOWN);
		}
		for (size_t j = 0; live_bindings[j].keys; j++) {
			if (!seen[j])
				fail_msg("'%s' cannot be reached at %ux%u", live_bindings[j].help,
					columns, rows);
		}
		assert_non_null(strstr(shown(v, columns, rows), "once\n"));
		press(v, LIVE_KEY_HOME);
		assert_non_null(strstr(shown(v, columns, rows), " quit\n"));
		assert_non_null(strstr(v->text, " 1-"));
		press(v, LIVE_KEY_DOWN);
		assert_null(strstr(shown(v, columns, rows), " quit\n"));
		type(v, "h");
	}
}

/* In a narrow terminal no line of the help is cut. */
static void test_live__help_is_wrapped(void **state)
{
	bool seen[BINDINGS_MOST] = {false}, end = false;
	struct view *v = *state;

	(void)shown(v, 40, 10);
	type(v, "h");
	for (unsigned row = 0; row < 150; row++) {
		char *to;

		/* one blank for each gap, so that texts are found across lines */
		(void)shown(v, 40, 10);
		for (const char *from = to = v->text; *from; from++) {
			bool gap = *from == ' ' || *from == '\n';

			if (!gap || to == v->text || to[-1] != ' ')
				*to++ = gap ? ' ' : *from;
		}
		*to = '\0';
		for (size_t j = 0; live_bindings[j].keys; j++)
			seen[j] |= strstr(v->text, live_bindings[j].help) != NULL;
		end |= strstr(v->text, "has real-time priority, and comes at once") != NULL;
		press(v, LIVE_KEY_DOWN);
	}
	assert_true(end);
	for (size_t j = 0; live_bindings[j].keys; j++) {
		if (!seen[j])
			fail_msg("'%s' is cut", live_bindings[j].help);
	}
}

/* Also in a paused view, and on the first screen. */
static void test_live__help_is_wrapped_at_a_resize(void **state)
{
	static const char line[] = "share of CPU time spent in the function itself\n";
	struct view *v = *state;

	type(v, "ph");
	assert_null(strstr(shown(v, 40, 100), line));
	assert_non_null(strstr(v->text, " the function itself\n"));
	assert_non_null(strstr(shown(v, 80, 100), line));
	assert_null(strstr(shown(v, 40, 100), line));
	assert_non_null(strstr(v->text, " the function itself\n"));
}

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
	assert_null(strstr(shown(v, 80, 24), "F7"));
	press(v, LIVE_KEY_F1 + 6);
	assert_non_null(strstr(shown(v, 80, 24), "F7 is no key here"));
	(void)shown(v, 120, 80);
	press(v, LIVE_KEY_F1 + 6);
	press(v, LIVE_KEY_DOWN);
	assert_hides(v, "F7");
}

static void test_live__what_is_no_pattern_is_said(void **state)
{
	struct view *v = *state;

	type(v, "\\work(\r");
	assert_shows(v, "no regular expression (Unmatched ( or \\()");
	/* There are no rows to show, so the next key keeps the message. */
	press(v, LIVE_KEY_DOWN);
	assert_shows(v, "no regular expression (Unmatched");
	type(v,
		"\\\x15"
		"compute(\r");
	assert_shows(v, "demo::compute(int)");
	type(v, "\\\x15\r/[work\r");
	assert_shows(v, "not found: [work: no regular expression (Unmatched [");
}

static void test_live__escape_removes_the_filter(void **state)
{
	struct view *v = *state;

	type(v, "\\compute\r");
	assert_shows(v, "filter compute");
	assert_hides(v, "helper");
	type(v, "\x1b");
	assert_shows(v, "the filter is gone");
	assert_shows(v, "helper");
	type(v, "\x1b");
	assert_shows(v, "nothing is zoomed into");
	type(v, "\\\r");
	assert_shows(v, "helper");
}

static void test_live__output_of_the_command(void **state)
{
	type(*state, "O");
	assert_shows(*state, "a line of the command");
	assert_selected(*state, "another one");
	type(*state, "\x1b");
	assert_shows(*state, "Functions");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(requests),
		TEST(a_proposal_is_replaced_or_edited),
		TEST(control_z_says_why_not),
		TEST(help_has_every_key),
		TEST(help_scrolls),
		TEST(help_is_wrapped),
		TEST(help_is_wrapped_at_a_resize),
		TEST(foot_has_the_first_keys),
		TEST(keys_that_do_nothing_say_so),
		TEST(what_is_no_pattern_is_said),
		TEST(escape_removes_the_filter),
		TEST(output_of_the_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
