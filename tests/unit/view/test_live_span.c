/* SPDX-License-Identifier: MIT */
/* The strip of time, with the profile of timeline_fixture.h: 3 s. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/timeline_fixture.h"
#include "view/live/live.h"

struct view {
	struct live *live;
	struct profile *profile;
	struct screen screen;
	char *text;
};

static void press(struct view *v, int32_t code)
{
	assert_int_equal(live_press(v->live, (struct live_key){.code = code}), 0);
}

static const char *shown(struct view *v)
{
	size_t bytes;
	FILE *out;

	assert_int_equal(live_draw(v->live, &v->screen), 0);
	free(v->text);
	out = open_memstream(&v->text, &bytes);
	assert_non_null(out);
	screen_print(&v->screen, out);
	assert_int_equal(fclose(out), 0);
	return v->text;
}

static int setup(void **state)
{
	static struct view view;
	const struct live_options options = {
		.size = sizeof(options), .totals = true, .ascii = true};
	const struct live_facts facts = {.target = "phases", .state = LIVE_ENDED, .status = 0};

	view = (struct view){.profile = fixture_timeline()};
	assert_int_equal(live_new(&options, &view.live), 0);
	/* The strip has 60 cells of 50 ms, with 6 columns before them and one after. */
	assert_int_equal(screen_resize(&view.screen, 20, 67), 0);
	assert_int_equal(live_update(view.live, view.profile, &facts, 1000000000), 0);
	*state = &view;
	return 0;
}

static int teardown(void **state)
{
	struct view *v = *state;

	live_free(v->live);
	profile_free(v->profile);
	screen_release(&v->screen);
	free(v->text);
	return 0;
}

static void test_strip__shows_the_stall(void **state)
{
	struct view *v = *state;

	assert_null(strstr(shown(v), "\n time "));
	press(v, 'T');
	/* Two threads from 2.0 s to 2.5 s, none from 1.8 s to 2.0 s, otherwise one. */
	assert_non_null(strstr(shown(v), "\n time "));
	assert_non_null(strstr(v->text, "    @@@@@@"));
	assert_non_null(strstr(v->text, "Enter begins the span here"));
}

static void test_span__is_what_tables_are_about(void **state)
{
	struct view *v = *state;

	press(v, 'T');
	(void)shown(v);
	press(v, LIVE_KEY_HOME);
	press(v, LIVE_KEY_ENTER);
	for (int i = 0; i < 9; i++)
		press(v, LIVE_KEY_RIGHT);
	press(v, LIVE_KEY_ENTER);
	assert_non_null(strstr(shown(v), "only 0 ns to 499."));
	assert_non_null(strstr(v->text, "load"));
	assert_null(strstr(v->text, "store"));
	assert_null(strstr(v->text, "work"));
	assert_non_null(strstr(v->text, "100.00"));
	/* The samples of one thread weigh 400 ms in these 499.67 ms; the other one did not run. */
	press(v, 'H');
	assert_non_null(strstr(shown(v), "   80.1      0.40  "));
	assert_non_null(strstr(v->text, "    0.0      0.00  "));
	press(v, 'H');
	press(v, 'T');
	assert_non_null(strstr(shown(v), "store"));
	assert_null(strstr(v->text, "\n time "));
}

static void test_span__is_given_up(void **state)
{
	struct view *v = *state;

	press(v, 'T');
	press(v, ' ');
	press(v, LIVE_KEY_PAGE_UP);
	press(v, LIVE_KEY_ESCAPE);
	assert_non_null(strstr(shown(v), "store"));
	assert_null(strstr(v->text, "\n time "));
	/* The screen may be resized meanwhile. */
	press(v, 'T');
	assert_int_equal(screen_resize(&v->screen, 12, 30), 0);
	(void)shown(v);
	press(v, LIVE_KEY_END);
	assert_int_equal(screen_resize(&v->screen, 20, 11), 0);
	(void)shown(v);
	press(v, LIVE_KEY_LEFT);
	press(v, LIVE_KEY_ENTER);
	press(v, LIVE_KEY_ENTER);
	assert_int_equal(screen_resize(&v->screen, 50, 200), 0);
	(void)shown(v);
}

static void test_strip__needs_a_time_line(void **state)
{
	struct view *v = *state;

	timeline_forget(v->profile);
	press(v, 'T');
	assert_non_null(strstr(shown(v), "no time line"));
	assert_null(strstr(v->text, "\n time "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_strip__shows_the_stall, setup, teardown),
		cmocka_unit_test_setup_teardown(
			test_span__is_what_tables_are_about, setup, teardown),
		cmocka_unit_test_setup_teardown(test_span__is_given_up, setup, teardown),
		cmocka_unit_test_setup_teardown(test_strip__needs_a_time_line, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
