/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "symbolizer/dwarf/unit.h"

static void add_range(
	struct unit *unit, uint64_t low, uint64_t high, uint32_t scope, uint32_t depth)
{
	const struct unit_range range = {.low = low, .high = high, .scope = scope, .depth = depth};

	assert_int_equal(unit_add_range(unit, &range), 0);
}

static void test_unit__finds_the_innermost_scope(void **state)
{
	struct unit unit = {0};

	(void)state;
	/*
	 * Function 0 is at [10, 50). In it, scope 1 is at [20, 30), with scope 2 at [20, 25), and
	 * scope 1 again at [40, 50).
	 */
	add_range(&unit, 40, 50, 1, 1);
	add_range(&unit, 20, 25, 2, 2);
	add_range(&unit, 20, 30, 1, 1);
	add_range(&unit, 10, 50, 0, 0);
	add_range(&unit, 60, 70, 3, 0);
	add_range(&unit, 65, 65, 4, 1);
	assert_int_equal(unit_seal(&unit), 0);
	for (uint64_t at = 0; at < 80; at++) {
		uint32_t want = UNIT_NONE;

		if (at >= 10 && at < 50)
			want = 0;
		if ((at >= 20 && at < 30) || (at >= 40 && at < 50))
			want = 1;
		if (at >= 20 && at < 25)
			want = 2;
		if (at >= 60 && at < 70)
			want = 3;
		assert_int_equal(unit_find_scope(&unit, at), want);
	}
	unit_release(&unit);
}

static void test_unit__an_equal_range_belongs_to_the_deeper_scope(void **state)
{
	struct unit unit = {0};

	(void)state;
	add_range(&unit, 10, 20, 7, 3);
	add_range(&unit, 10, 20, 9, 2);
	assert_int_equal(unit_seal(&unit), 0);
	assert_int_equal(unit_find_scope(&unit, 10), 7);
	assert_int_equal(unit_find_scope(&unit, 19), 7);
	assert_int_equal(unit_find_scope(&unit, 20), UNIT_NONE);
	unit_release(&unit);
}

static void test_unit__cuts_ranges_that_overlap(void **state)
{
	struct unit unit = {0};

	(void)state;
	add_range(&unit, 10, 20, 0, 0);
	add_range(&unit, 15, 40, 1, 1);
	add_range(&unit, 30, 35, 2, 0);
	assert_int_equal(unit_seal(&unit), 0);
	assert_int_equal(unit_find_scope(&unit, 14), 0);
	assert_int_equal(unit_find_scope(&unit, 19), 1);
	assert_int_equal(unit_find_scope(&unit, 25), UNIT_NONE);
	assert_int_equal(unit_find_scope(&unit, 31), 2);
	unit_release(&unit);
}

static void test_unit__agrees_with_a_search_of_all_ranges(void **state)
{
	unsigned seed = 1;

	(void)state;
	/* Each range is within an earlier one, and no two overlap in part. */
	for (int round = 0; round < 50; round++) {
		struct unit_range ranges[40] = {{.low = 0, .high = 1000}};
		struct unit unit = {0};
		size_t n = 1;

		for (int draw = 0; draw < 200 && n < 40; draw++) {
			const struct unit_range *outer = &ranges[(unsigned)rand_r(&seed) % n];
			uint64_t low =
				outer->low + (unsigned)rand_r(&seed) % (outer->high - outer->low);
			uint64_t high = low + 1 + (unsigned)rand_r(&seed) % (outer->high - low);
			bool nests = true;

			for (size_t j = 0; j < n; j++)
				if (low < ranges[j].high && ranges[j].low < high &&
					!(ranges[j].low <= low && high <= ranges[j].high))
					nests = false;
			if (nests) {
				ranges[n] = (struct unit_range){.low = low,
					.high = high,
					.scope = (uint32_t)n,
					.depth = (uint32_t)n};
				n++;
			}
		}
		for (size_t i = n; i-- > 0;)
			add_range(&unit, ranges[i].low, ranges[i].high, ranges[i].scope,
				ranges[i].depth);
		assert_int_equal(unit_seal(&unit), 0);
		for (uint64_t at = 0; at < 1000; at++) {
			uint32_t want = 0;
			uint64_t bytes = 1001;

			for (size_t i = 0; i < n; i++)
				if (at >= ranges[i].low && at < ranges[i].high &&
					ranges[i].high - ranges[i].low <= bytes) {
					bytes = ranges[i].high - ranges[i].low;
					want = ranges[i].scope;
				}
			assert_int_equal(unit_find_scope(&unit, at), want);
		}
		unit_release(&unit);
	}
}

static void add_line(struct unit *unit, uint64_t svma, uint32_t line)
{
	assert_int_equal(unit_add_line(unit, svma, line ? 1 : UNIT_NONE, line), 0);
}

static uint32_t line_at(const struct unit *unit, uint64_t svma)
{
	const struct unit_line *row = unit_find_line(unit, svma);

	return row ? row->line : 0;
}

static void test_unit__finds_lines_of_sequences_in_any_order(void **state)
{
	struct unit unit = {0};

	(void)state;
	add_line(&unit, 200, 20);
	add_line(&unit, 204, 21);
	add_line(&unit, 210, 0);
	add_line(&unit, 100, 10);
	add_line(&unit, 104, 11);
	add_line(&unit, 104, 12); /* the later of two rows at one address counts */
	add_line(&unit, 110, 0);
	add_line(&unit, 110, 30); /* begins where the previous row ends */
	add_line(&unit, 120, 0);
	assert_int_equal(unit_seal(&unit), 0);
	assert_int_equal(line_at(&unit, 99), 0);
	assert_int_equal(line_at(&unit, 100), 10);
	assert_int_equal(line_at(&unit, 103), 10);
	assert_int_equal(line_at(&unit, 104), 12);
	assert_int_equal(line_at(&unit, 110), 30);
	assert_int_equal(line_at(&unit, 120), 0);
	assert_int_equal(line_at(&unit, 199), 0);
	assert_int_equal(line_at(&unit, 209), 21);
	assert_int_equal(line_at(&unit, 210), 0);
	unit_release(&unit);
}

static void test_unit__numbers_files_as_its_version_does(void **state)
{
	struct unit unit = {.first_file = 1};

	(void)state;
	assert_int_equal(unit_add_file(&unit, "a.c", "/src"), 0);
	assert_null(unit_file(&unit, 0));
	assert_string_equal(unit_file(&unit, 1)->name, "a.c");
	assert_null(unit_file(&unit, 2));
	assert_null(unit_file(&unit, UNIT_NONE));
	unit.first_file = 0;
	assert_string_equal(unit_file(&unit, 0)->name, "a.c");
	unit_release(&unit);
}

static void test_unit__is_empty_without_data(void **state)
{
	struct unit unit = {0};

	(void)state;
	assert_int_equal(unit_seal(&unit), 0);
	assert_int_equal(unit_find_scope(&unit, 5), UNIT_NONE);
	assert_null(unit_find_line(&unit, 5));
	unit_release(&unit);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unit__finds_the_innermost_scope),
		cmocka_unit_test(test_unit__an_equal_range_belongs_to_the_deeper_scope),
		cmocka_unit_test(test_unit__cuts_ranges_that_overlap),
		cmocka_unit_test(test_unit__agrees_with_a_search_of_all_ranges),
		cmocka_unit_test(test_unit__finds_lines_of_sequences_in_any_order),
		cmocka_unit_test(test_unit__numbers_files_as_its_version_does),
		cmocka_unit_test(test_unit__is_empty_without_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
