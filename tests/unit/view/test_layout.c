/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "view/layout.h"

static void add(struct layout *layout, double heat, const char *a, const char *b, const char *c)
{
	layout_row(layout, heat);
	layout_number(layout, "share", 0, "%s", a);
	layout_text(layout, "function", LAYOUT_NAME, 20, 0, "%s", b);
	layout_text(layout, "object", LAYOUT_PATH, 14, 0, "%s", c);
}

static char *print(struct layout *layout, size_t width)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	assert_int_equal(layout_print(layout, width, out), 0);
	assert_int_equal(fclose(out), 0);
	layout_release(layout);
	return text;
}

static void test_layout__aligns_columns(void **state)
{
	struct layout layout;
	char *text;

	(void)state;
	layout_init(&layout, true, false);
	add(&layout, 0, "99.9 %", "f", "libfoo.so");
	add(&layout, 0, "1 %", "a_long_function", "x");
	text = print(&layout, 0);
	assert_string_equal(text,
		" share  function         object\n"
		"99.9 %  f                libfoo.so\n"
		"   1 %  a_long_function  x\n");
	free(text);
}

static void test_layout__counts_characters_not_bytes(void **state)
{
	struct layout layout;
	char *text;

	(void)state;
	layout_init(&layout, false, false);
	add(&layout, 0,
		"\xc2\xb1"
		"1",
		"h\xc3\xa9", "x");
	add(&layout, 0, "1", "hell", "y");
	text = print(&layout, 0);
	assert_string_equal(text,
		"share  function  object\n"
		"   \xc2\xb1"
		"1  h\xc3\xa9        x\n"
		"    1  hell      y\n");
	free(text);
}

/*
 * A long name is cut behind the tree's lines. If these are too many for the column, the outermost
 * are left out.
 */
static void test_layout__cuts_names_behind_the_lines_of_a_tree(void **state)
{
	struct layout layout;
	char *text;

	(void)state;
	layout_init(&layout, true, false);
	layout_row(&layout, 0);
	layout_text(&layout, "function", LAYOUT_NAME, 20, 0,
		"| + ns::map<std::string, int>::insert(int)");
	layout_lead(&layout, 4);
	layout_row(&layout, 0);
	layout_text(&layout, "function", LAYOUT_NAME, 20, 0,
		"| | | | | | | ` ns::map<std::string>::insert(int)");
	layout_lead(&layout, 16);
	layout_row(&layout, 0);
	layout_text(&layout, "function", LAYOUT_NAME, 20, 0, "| ` short");
	layout_lead(&layout, 4);
	text = print(&layout, 20);
	assert_string_equal(text,
		"function\n"
		"| + ...::insert(int)\n"
		"| | | ` insert(int)\n"
		"| ` short\n");
	free(text);
}

/* The long name is printed whole; in other rows the column is at most 60 wide. */
static void test_layout__one_long_name_does_not_pad_all_lines(void **state)
{
	char name[1300], *text, *line;
	struct layout layout;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	layout_init(&layout, true, false);
	add(&layout, 0, "1 %", "f", "x");
	add(&layout, 0, "1 %", name, "x");
	text = print(&layout, 0);
	line = strchr(text, '\n') + 1;
	assert_int_equal(strcspn(line, "\n"), 5 + 2 + 60 + 2 + 1);
	line = strchr(line, '\n') + 1;
	assert_int_equal(strcspn(line, "\n"), 5 + 2 + sizeof(name) - 1 + 2 + 1);
	assert_non_null(strstr(line, "nn  x"));
	free(text);
}

static void test_layout__fits_the_width(void **state)
{
	const char *name = "namespace::with::a::very::long::function_name(int, int, int, int)";
	struct layout layout;
	char *text, *line, *rest;

	(void)state;
	for (size_t width = 34; width < 100; width++) {
		layout_init(&layout, true, false);
		add(&layout, 0, "99.9 %", name, "a_library_with_a_long_name.so.1");
		text = print(&layout, width);
		for (line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
			assert_true(text_columns(line) <= width);
		free(text);
	}
}

static void test_layout__leaves_out_columns_before_names_lose_their_comfort(void **state)
{
	static const struct {
		size_t width;
		const char *line;
	} expected[] = {
		{42, "\n 50 %  a_function_with_a_long_name  2.00 s\n"},
		{40, "\n 50 %  a_functi...th_a_long_name  2.00 s\n"},
		{36, "\n 50 %  a_funct...a_long_name  2.00 s\n"},
		{33, "\n 50 %  a_functi...ith_a_long_name\n"},
		{26, "\na_functi...ith_a_long_name\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(*expected); i++) {
		struct layout layout;
		char *text;

		layout_init(&layout, true, false);
		layout_row(&layout, 0);
		layout_number(&layout, "share", 2, "50 %%");
		layout_text(&layout, "function", LAYOUT_NAME, 20, 0, "a_function_with_a_long_name");
		layout_number(&layout, "time", 1, "2.00 s");
		text = print(&layout, expected[i].width);
		assert_string_equal(strchr(text, '\n'), expected[i].line);
		free(text);
	}
}

static void test_layout__colours_by_heat_when_asked(void **state)
{
	struct layout layout;
	char *text;

	(void)state;
	layout_init(&layout, true, true);
	add(&layout, 0.5, "50 %", "hot", "x");
	add(&layout, 0.05, "5 %", "warm", "x");
	add(&layout, 0.01, "1 %", "cold", "x");
	text = print(&layout, 0);
	assert_non_null(strstr(text, "\033[1;31m50 %\033[m  \033[1;31mhot\033[m "));
	assert_non_null(strstr(text, "\033[33mwarm\033[m "));
	assert_non_null(strstr(text, "  1 %  cold "));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout__aligns_columns),
		cmocka_unit_test(test_layout__counts_characters_not_bytes),
		cmocka_unit_test(test_layout__cuts_names_behind_the_lines_of_a_tree),
		cmocka_unit_test(test_layout__one_long_name_does_not_pad_all_lines),
		cmocka_unit_test(test_layout__fits_the_width),
		cmocka_unit_test(test_layout__leaves_out_columns_before_names_lose_their_comfort),
		cmocka_unit_test(test_layout__colours_by_heat_when_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
