/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/array.h"
#include "base/pool.h"
#include "base/table.h"
#include "tests/unit/no_memory.h"

static bool number_equal(const void *items, uint32_t index, const void *key)
{
	return ((const uint64_t *)items)[index] == *(const uint64_t *)key;
}

static void test_table__finds_what_was_added_even_with_equal_hashes(void **state)
{
	enum { MANY = 3000 };
	static uint64_t number[MANY];
	struct table table = {0};
	uint64_t absent = 5;

	(void)state;
	assert_int_equal(table_find(&table, 1, number_equal, number, &absent), -ENOENT);
	for (uint32_t i = 0; i < MANY; i++) {
		number[i] = i * UINT64_C(1000003);
		/* Three items have the same hash. */
		assert_int_equal(table_add(&table, table_mix(0, i / 3), i), 0);
	}
	for (uint32_t i = 0; i < MANY; i++) {
		assert_int_equal(
			table_find(&table, table_mix(0, i / 3), number_equal, number, &number[i]),
			i);
	}
	assert_int_equal(
		table_find(&table, table_mix(0, 1), number_equal, number, &absent), -ENOENT);
	table_clear(&table);
	assert_int_equal(
		table_find(&table, table_mix(0, 0), number_equal, number, &number[0]), -ENOENT);
	assert_int_equal(table_add(&table, 7, UINT32_MAX), -ENOMEM);
	table_release(&table);
}

static void test_table__stays_as_it_was_if_memory_runs_out(void **state)
{
	uint64_t *number = NULL;
	size_t room = 0, n = 0, failures = 0;
	struct table table = {0};

	(void)state;
	for (uint64_t i = 0; i < 500; i++) {
		int index = -ENOMEM;

		for (unsigned long nth = 1; index < 0; nth++) {
			until_failure = nth;
			index = table_intern(&table, i, number_equal, &number, &room, &n, &i);
			until_failure = 0;
			if (index >= 0)
				break;
			failures++;
			assert_int_equal(index, -ENOMEM);
			assert_int_equal(n, i);
			assert_int_equal(table_find(&table, i, number_equal, number, &i), -ENOENT);
		}
		assert_int_equal(index, i);
	}
	assert_true(failures > 2);
	for (uint64_t i = 0; i < 500; i++)
		assert_int_equal(table_find(&table, i, number_equal, number, &i), i);
	free(number);
	table_release(&table);
}

static void test_table__hash_spreads(void **state)
{
	unsigned count[256] = {0};

	(void)state;
	for (uint64_t i = 0; i < 256 * 64; i++)
		count[table_mix(0, i) & 255]++;
	for (unsigned i = 0; i < 256; i++)
		assert_in_range(count[i], 16, 160);
	assert_true(table_hash_bytes(0, "a", 1) != table_hash_bytes(0, "b", 1));
	assert_true(table_hash_bytes(0, "a", 1) != table_hash_bytes(0, "a\0", 2));
	assert_true(table_hash_bytes(0, "12345678x", 9) != table_hash_bytes(0, "12345678y", 9));
}

static void test_array__grow_keeps_what_is_there(void **state)
{
	int *array = NULL, *before;
	size_t room = 0, n = 0;

	(void)state;
	assert_int_equal(array_add(&array, &room, &n, 42), 0);
	assert_int_equal(n, 1);
	before = array;
	assert_int_equal(array_grow(&array, &room, room), 0);
	assert_ptr_equal(array, before);
	assert_int_equal(array_grow(&array, &room, room + 1), 0);
	assert_int_equal(array[0], 42);
	free(array);
}

static void test_array__bisect_finds_the_first_that_is_not_before(void **state)
{
	static const int sorted[] = {1, 3, 3, 7};

	(void)state;
	for (int wanted = 0; wanted <= 8; wanted++) {
		size_t at = array_bisect(i, 0, 4, sorted[i] < wanted), linear = 0;

		while (linear < 4 && sorted[linear] < wanted)
			linear++;
		assert_int_equal(at, linear);
	}
	assert_int_equal(array_bisect(i, 1, 3, sorted[i] < 9), 3);
	assert_int_equal(array_bisect(i, 2, 2, true), 2);
}

static void test_table__pool_keeps_each_string_once(void **state)
{
	struct pool pool;
	const char *kept;
	char big[200000];
	int a, b;

	(void)state;
	assert_int_equal(pool_init(&pool), 0);
	assert_int_equal(pool_add_text(&pool, NULL), 0);
	assert_int_equal(pool_add_text(&pool, ""), 0);
	a = pool_add_text(&pool, "alpha");
	kept = pool_at(&pool, (uint32_t)a);
	memset(big, 'x', sizeof(big));
	b = pool_add(&pool, big, sizeof(big));
	assert_true(a > 0 && b > a);
	assert_int_equal(pool_id(kept), a);
	assert_int_equal(pool_id(pool_at(&pool, 0)), 0);
	assert_int_equal(pool_id(pool_at(&pool, (uint32_t)b)), b);
	assert_int_equal(strlen(pool_at(&pool, (uint32_t)b)), sizeof(big));
	for (int i = 0; i < 50000; i++)
		assert_true(pool_add(&pool, (const char *)&i, sizeof(i)) >= 0);
	/* The string has not moved, and is found by its bytes up to a NUL. */
	assert_ptr_equal(pool_at(&pool, (uint32_t)pool_add(&pool, "alpha\0beta", 10)), kept);
	assert_string_equal(kept, "alpha");
	pool_release(&pool);
}

/* A long string is found by its address alone, though its bytes change here. */
static void test_table__pool_finds_long_strings_by_their_address(void **state)
{
	static char big[POOL_LONG_BYTES + 1];
	struct pool pool = {0};
	int a, b;

	(void)state;
	assert_int_equal(pool_init(&pool), 0);
	memset(big, 'x', POOL_LONG_BYTES);
	a = pool_add_text(&pool, big);
	b = pool_add_text(&pool, "short");
	assert_true(a > 0 && b > a);
	assert_int_equal(pool_add_text(&pool, big), a);
	((char *)(uintptr_t)pool_at(&pool, (uint32_t)a))[0] = 'y';
	((char *)(uintptr_t)pool_at(&pool, (uint32_t)b))[0] = 'S';
	assert_int_equal(pool_add_text(&pool, pool_at(&pool, (uint32_t)a)), a);
	assert_int_not_equal(pool_add_text(&pool, pool_at(&pool, (uint32_t)b)), b);
	pool_release(&pool);
}

static int compare_numbers(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Pairs of small numbers, of which many have the same exclusive-or. */
static void test_table__pairs_of_numbers_spread(void **state)
{
	enum { N = 1000 };
	static uint32_t kept[N * N];
	unsigned equal = 0;

	(void)state;
	for (uint64_t a = 0; a < N; a++)
		for (uint64_t b = 0; b < N; b++)
			kept[a * N + b] = table_kept(table_mix(a, b));
	qsort(kept, (size_t)N * N, sizeof(*kept), compare_numbers);
	for (size_t i = 1; i < (size_t)N * N; i++)
		equal += kept[i] == kept[i - 1];
	assert_true(equal < 1000); /* chance alone gives 116 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table__finds_what_was_added_even_with_equal_hashes),
		cmocka_unit_test(test_table__stays_as_it_was_if_memory_runs_out),
		cmocka_unit_test(test_table__hash_spreads),
		cmocka_unit_test(test_table__pairs_of_numbers_spread),
		cmocka_unit_test(test_array__bisect_finds_the_first_that_is_not_before),
		cmocka_unit_test(test_array__grow_keeps_what_is_there),
		cmocka_unit_test(test_table__pool_keeps_each_string_once),
		cmocka_unit_test(test_table__pool_finds_long_strings_by_their_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
