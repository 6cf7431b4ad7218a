/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "tests/unit/profile_fixture.h"
#include "view/report/report.h"
#include "view/wrap.h"

static void expect(const char *text, size_t width, const char *expected)
{
	char *wrapped = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&wrapped, &bytes), *to;
	struct wrap wrap;

	assert_non_null(out);
	to = wrap_begin(&wrap, width, out);
	assert_non_null(to);
	fputs(text, to);
	assert_int_equal(wrap_end(&wrap), 0);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(wrapped, expected);
	free(wrapped);
}

static void test_wrap__breaks_lines_at_words(void **state)
{
	(void)state;
	expect("one two three\n", 80, "one two three\n");
	expect("one two three\n", 13, "one two three\n");
	expect("one two three\n", 12, "one two\n  three\n");
	expect("one two three\nfour\n\nfive six\n", 7, "one two\n  three\nfour\n\nfive\n  six\n");
	/* characters of two bytes, one column wide */
	expect("\xc2\xb1\xc2\xb1 \xc2\xb1 a\n", 6, "\xc2\xb1\xc2\xb1 \xc2\xb1 a\n");
}

static void test_wrap__keeps_a_number_with_its_unit(void **state)
{
	(void)state;
	expect("about 250 Hz\n", 10, "about\n  250 Hz\n");
	expect("aaa 12.5 ms b\n", 9, "aaa\n  12.5 ms\n  b\n");
	expect("100 ticks\n", 5, "100\n  ticks\n");
	expect("number 7\n", 8, "number 7\n");
}

static void test_wrap__keeps_the_indentation(void **state)
{
	(void)state;
	expect("    one two three\n", 12, "    one two\n    three\n");
}

static void test_wrap__does_not_break_words(void **state)
{
	(void)state;
	expect("a /a/long/path b\n", 5, "a\n  /a/long/path\n  b\n");
	expect("/a/long/path\n", 1, "/a/long/path\n");
}

static void test_wrap__without_a_width_changes_nothing(void **state)
{
	(void)state;
	expect("one two  three \n\nno end", 0, "one two  three \n\nno end");
}

/* Audit and notes are long. */
static void test_wrap__no_report_has_prose_wider_than_asked(void **state)
{
	static const char *const names[] = {"flat", "lines", "tree", "doctor", "summary"};
	struct profile *profile = fixture_profile();
	const struct report_options options = {.size = sizeof(options), .width = 70};

	(void)state;
	assert_int_equal(profile_set_audit(profile, "samples", 290), 0);
	assert_int_equal(profile_set_audit(profile, "lost_samples", 337), 0);
	assert_int_equal(profile_set_audit(profile, "unresolved_samples", 200), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *text = NULL, *problem = NULL;
		size_t bytes = 0;
		FILE *out = open_memstream(&text, &bytes);

		assert_non_null(out);
		assert_int_equal(report_find(names[i])->print(profile, &options, out, &problem), 0);
		assert_int_equal(fclose(out), 0);
		for (char *at = text, *end; *at; at = end + 1) {
			end = strchr(at, '\n');
			assert_non_null(end);
			*end = '\0';
			if (text_columns(at) > options.width)
				fail_msg("%s: %zu columns: %s", names[i], text_columns(at), at);
		}
		free(text);
	}
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrap__breaks_lines_at_words),
		cmocka_unit_test(test_wrap__keeps_a_number_with_its_unit),
		cmocka_unit_test(test_wrap__keeps_the_indentation),
		cmocka_unit_test(test_wrap__does_not_break_words),
		cmocka_unit_test(test_wrap__without_a_width_changes_nothing),
		cmocka_unit_test(test_wrap__no_report_has_prose_wider_than_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
