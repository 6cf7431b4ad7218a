/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyst/analyst.h"
#include "analyst/blame.h"
#include "analyst/finish.h"

/* A delivery that crashes at the file "/bad", as third-party code might, and what is printed. */
struct scene {
	struct blame blame;
	enum symbolizer_skip good_from; /* from this level of caution on, "/bad" does not crash */
	bool forget_note;
	unsigned lines;
	char said[8][256];
};

static int deliver(void *context, struct analyst *analyst, int error)
{
	struct scene *scene = context;
	static const char *const files[] = {"/fine", "/bad"};

	(void)analyst;
	if (error)
		return 9;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		enum symbolizer_skip skip = blame_skip(&scene->blame, files[i]);

		blame_working_on(&scene->blame, scene->forget_note ? NULL : files[i]);
		if (i == 1 && skip < scene->good_from)
			(void)raise(SIGSEGV);
		blame_working_on(&scene->blame, NULL);
	}
	return 7;
}

static void say(void *context, const char *line)
{
	struct scene *scene = context;

	assert_true(scene->lines < 8);
	(void)snprintf(scene->said[scene->lines++], sizeof(scene->said[0]), "%s", line);
}

static int play(struct scene *scene)
{
	const struct analyst_options options = {0};
	struct analyst *analyst;
	int r;

	/* AddressSanitizer's handler would exit, but the child must die of the signal. */
	(void)signal(SIGSEGV, SIG_DFL);
	assert_int_equal(analyst_new(&options, &analyst), 0);
	assert_int_equal(blame_init(&scene->blame, NULL), 0);
	r = finish_run(&(struct finish){deliver, say, scene}, analyst, &scene->blame);
	blame_release(&scene->blame);
	analyst_free(analyst);
	return r;
}

static void test_finish__status_is_passed_on(void **state)
{
	struct scene scene = {.good_from = SYMBOLIZER_SKIP_NOTHING};

	(void)state;
	assert_int_equal(play(&scene), 7);
	assert_int_equal(scene.lines, 0);
}

static void test_finish__a_file_that_kills_is_left_alone(void **state)
{
	struct scene scene = {.good_from = SYMBOLIZER_SKIP_DEBUG_INFO};

	(void)state;
	assert_int_equal(play(&scene), 7);
	assert_int_equal(scene.lines, 1);
	assert_non_null(strstr(scene.said[0], "/bad"));
	assert_int_equal(blame_skip(&scene.blame, "/bad"), SYMBOLIZER_SKIP_DEBUG_INFO);
	assert_int_equal(blame_skip(&scene.blame, "/fine"), SYMBOLIZER_SKIP_NOTHING);
}

static void test_finish__the_whole_file_if_need_be(void **state)
{
	struct scene scene = {.good_from = SYMBOLIZER_SKIP_FILE};

	(void)state;
	assert_int_equal(play(&scene), 7);
	assert_int_equal(scene.lines, 2);
	assert_int_equal(blame_skip(&scene.blame, "/bad"), SYMBOLIZER_SKIP_FILE);
}

static void test_finish__gives_up_in_the_end(void **state)
{
	struct scene scene = {.good_from = SYMBOLIZER_SKIP_FILE + 1};
	struct scene unknown = {.good_from = SYMBOLIZER_SKIP_FILE, .forget_note = true};

	(void)state;
	assert_int_equal(play(&scene), -ECHILD);
	assert_int_equal(scene.lines, 3);
	assert_non_null(strstr(scene.said[2], "giving up"));
	assert_int_equal(play(&unknown), -ECHILD);
	assert_int_equal(unknown.lines, 1);
}

static void test_finish__a_note_is_cut_and_still_blames(void **state)
{
	struct blame blame = {0};
	char path[400];

	(void)state;
	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(blame_init(&blame, NULL), 0);
	blame_working_on(&blame, path);
	assert_int_equal(strlen(blame.note), BLAME_NOTE_BYTES - 1);
	assert_true(blame_add(&blame, blame.note));
	assert_int_equal(blame_skip(&blame, path), SYMBOLIZER_SKIP_DEBUG_INFO);
	blame_working_on(&blame, NULL);
	assert_string_equal(blame.note, "");
	assert_false(blame_add(&blame, ""));
	blame_release(&blame);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finish__status_is_passed_on),
		cmocka_unit_test(test_finish__a_file_that_kills_is_left_alone),
		cmocka_unit_test(test_finish__the_whole_file_if_need_be),
		cmocka_unit_test(test_finish__gives_up_in_the_end),
		cmocka_unit_test(test_finish__a_note_is_cut_and_still_blames),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
