/* SPDX-License-Identifier: MIT */
/* Call paths are cut: the leaf and the frames that distinguish paths stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "view/paths.h"

enum { PATHS_MOST = 4 };

/* Cuts the paths together. @expected: NULL: they must only fit. */
static void assert_cut(const char *const *path, size_t columns, const char *const *expected)
{
	char *cell[2 * PATHS_MOST] = {NULL};
	size_t n = 0;

	for (; n < PATHS_MOST && path[n]; n++) {
		cell[2 * n] = strdup(path[n]);
		assert_non_null(cell[2 * n]);
	}
	assert_int_equal(paths_cut(cell, PATHS_MOST, 2, columns, true), 0);
	for (size_t i = 0; i < n; i++) {
		assert_true(text_columns(cell[2 * i]) <= columns);
		if (expected)
			assert_string_equal(cell[2 * i], expected[i]);
		free(cell[2 * i]);
	}
}

static void test_paths__arguments_go_before_frames(void **state)
{
	const char *const path[PATHS_MOST] = {
		"main;run<std::vector<int> >(std::vector<int> const&);eval(Node*)", "main;eval"};
	const char *const brief[] = {"main;run<...>(...);eval(...)", "main;eval"};
	const char *const cut[] = {"...;eval(...)", "main;eval"};

	(void)state;
	assert_cut(path, 64, path);
	assert_cut(path, 63, brief);
	assert_cut(path, 14, cut);
}

static void test_paths__frames_beside_the_leaf_stay(void **state)
{
	const char *const path[PATHS_MOST] = {"main;one;two;three;four;five"};
	const char *const most[] = {"...;two;three;four;five"}, *const few[] = {"...;four;five"};

	(void)state;
	assert_cut(path, 28, path);
	assert_cut(path, 26, most);
	assert_cut(path, 18, few);
}

static void test_paths__differ_where_they_did(void **state)
{
	const char *const path[PATHS_MOST] = {"main;loop;read;decode;copy;memcpy",
		"main;loop;write;decode;copy;memcpy", "main;loop;write;encode;copy;memcpy"};
	const char *const cut[] = {
		"...;read;...;copy;memcpy", "...;write;...;copy;memcpy", "...;encode;copy;memcpy"};

	(void)state;
	assert_cut(path, 26, cut);
}

static void test_paths__arguments_stay_where_only_they_differ(void **state)
{
	const char *const path[PATHS_MOST] = {"main;run;sort<int, std::allocator<int> >(int*)",
		"main;run;sort<double, std::allocator<double> >(double*)"};
	const char *const cut[] = {"...;sort<int, std::...", "...;sort<double, st..."};

	(void)state;
	assert_cut(path, 22, cut);
}

/* In Rust, a blank follows a semicolon in a name. */
static void test_paths__a_semicolon_in_a_name_is_no_frame(void **state)
{
	const char *const path[PATHS_MOST] = {"main;run;main::<[u8; 4]>::hash"};
	const char *const cut[] = {"...;main::<...>::hash"};

	(void)state;
	assert_cut(path, 22, cut);
}

static void test_paths__no_width_is_exceeded(void **state)
{
	const char *const path[PATHS_MOST] = {
		"main;a_function_with_a_long_name;another_function_with_a_long_name",
		"main;b_function_with_a_long_name;another_function_with_a_long_name",
		"another_function_with_a_long_name", ";;f<operator<(int, int)>(void (*)(int);;"};

	(void)state;
	for (size_t columns = 1; columns < 80; columns++)
		assert_cut(path, columns, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths__arguments_go_before_frames),
		cmocka_unit_test(test_paths__frames_beside_the_leaf_stay),
		cmocka_unit_test(test_paths__differ_where_they_did),
		cmocka_unit_test(test_paths__arguments_stay_where_only_they_differ),
		cmocka_unit_test(test_paths__a_semicolon_in_a_name_is_no_frame),
		cmocka_unit_test(test_paths__no_width_is_exceeded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
