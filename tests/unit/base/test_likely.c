/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/likely.h"

static const struct {
	const char *name;
	int id;
} names[] = {{"duration", 1}, {"delay", 2}, {"split", 3}, {"by", 4}, {"to", 5}, {NULL, 0}};

static const char *likely(const char *word)
{
	return likely_name(word, &names[0].name, sizeof(*names));
}

static void test_likely__one_letter_more_less_or_swapped(void **state)
{
	(void)state;
	assert_string_equal(likely("--durtion"), "duration");
	assert_string_equal(likely("--duration=5"), "duration");
	assert_string_equal(likely("dealy"), "delay");
	assert_string_equal(likely("--spilt"), "split");
}

static void test_likely__nothing_is_better_than_a_guess(void **state)
{
	char longest[200];

	(void)state;
	memset(longest, 'd', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_null(likely("--stdio"));
	assert_null(likely("bo")); /* as near to "by" as to "to" */
	assert_null(likely("--"));
	assert_null(likely(""));
	assert_null(likely(longest));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_likely__one_letter_more_less_or_swapped),
		cmocka_unit_test(test_likely__nothing_is_better_than_a_guess),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
