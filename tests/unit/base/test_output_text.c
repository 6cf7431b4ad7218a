/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/output_text.h"

/* @expected comes out whether the text is put at once or byte by byte. */
static void assert_put(const char *text, const char *expected)
{
	for (size_t step = 1; step <= 64; step += 63) {
		struct output_text clean = {0};
		size_t bytes, n = strlen(text);
		char *put;
		FILE *out = open_memstream(&put, &bytes);

		assert_non_null(out);
		for (size_t i = 0; i < n; i += step)
			output_text_put(&clean, text + i, n - i < step ? n - i : step, out);
		output_text_end(&clean, out);
		assert_int_equal(fclose(out), 0);
		assert_string_equal(put, expected);
		free(put);
	}
}

static void test_output_text__keeps_text(void **state)
{
	(void)state;
	assert_put("", "");
	assert_put("a\tb\r\n", "a\tb\r\n");
	assert_put("h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
		"h\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
}

static void test_output_text__keeps_colours_and_ends_them(void **state)
{
	(void)state;
	assert_put("\033[1;31mred", "\033[1;31mred\033[0m");
	assert_put("\033[m", "\033[m\033[0m");
}

static void test_output_text__takes_control_from_it(void **state)
{
	(void)state;
	assert_put("\033]0;title\007x", "?]0;title?x");
	assert_put("\033[2J\033[1;1Hx", "?[2J?[1;1Hx");
	assert_put("\033[31\033[31mx", "?[31\033[31mx\033[0m");
	assert_put("a\bb\177", "a?b?");
	assert_put("\xc2\x9b"
		   "31m",
		"??31m"); /* U+009B begins a control sequence, too */
	assert_put("\033", "?");
	assert_put("\033[1111111111111111111111111111111111m",
		"?[1111111111111111111111111111111111m");
}

static void test_output_text__no_utf8_becomes_question_marks(void **state)
{
	(void)state;
	assert_put("\xff\x80"
		   "a",
		"??a");
	assert_put("\xe2\x82", "??");
	assert_put("\xe2\x82"
		   "a",
		"??a");
	assert_put("\xc0\x80", "??");      /* longer than the character needs */
	assert_put("\xed\xa0\x80", "???"); /* half of a surrogate pair */
	assert_put("\xf4\x90\x80\x80", "????");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_output_text__keeps_text),
		cmocka_unit_test(test_output_text__keeps_colours_and_ends_them),
		cmocka_unit_test(test_output_text__takes_control_from_it),
		cmocka_unit_test(test_output_text__no_utf8_becomes_question_marks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
