/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/timeline_fixture.h"
#include "view/options.h"
#include "view/report/report.h"

/* A new process with 30 ms, 1 % of the fixture's time. */
static void add_short(struct profile *profile, uint32_t pid, const char *name, unsigned from_ms)
{
	uint32_t location = 0;
	uint32_t task =
		fixture_index(profile_add_task(profile, &(struct task){pid, pid, name, name}));
	uint32_t stack = fixture_index(profile_add_stack(profile, task, &location, 1));

	fixture_phase(profile, stack, from_ms, from_ms + 30, 4);
}

static char *print(struct profile *profile, enum report_split split, bool ascii)
{
	struct report_options options = {.size = sizeof(options), .split = split, .ascii = ascii};
	char *text = NULL, *problem = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	assert_int_equal(timeline_print(profile, &options, out, &problem), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void test_timeline_rows__short_children_are_one(void **state)
{
	struct profile *profile = fixture_timeline();
	char *text;

	(void)state;
	add_short(profile, 20, "cc1", 100);
	add_short(profile, 21, "as", 300);
	add_short(profile, 22, "cc1", 500);
	add_short(profile, 23, "cc1", 900);
	text = print(profile, REPORT_SPLIT_NONE, true);
	assert_non_null(strstr(text, "\ncc1 x3 "));
	assert_non_null(strstr(text, "\nas 21 "));
	assert_null(strstr(text, "cc1 2"));
	/* Long-lived processes, and the threads of one, have rows of their own. */
	assert_non_null(strstr(text, "\nmain 10 "));
	assert_non_null(strstr(text, "\nhelper 11 "));
	free(text);
	text = print(profile, REPORT_SPLIT_NONE, false);
	assert_non_null(strstr(text,
		"\ncc1 \xc3\x97"
		"3 "));
	free(text);
	text = print(profile, REPORT_SPLIT_THREAD, true);
	assert_non_null(strstr(text, "\ncc1 20 "));
	assert_non_null(strstr(text, "\ncc1 23 "));
	free(text);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_timeline_rows__short_children_are_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
