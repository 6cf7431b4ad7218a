/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyst/jit/jit_map.h"
#include "symbolizer/unwind/unwind.h"
#include "tests/random.h"
#include "tests/unit/jit_fixture.h"

/* linked with --wrap=qsort */
void __real_qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *));
void __wrap_qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *));

static size_t sorted; /* sum of all calls' elements */

void __wrap_qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	sorted += n;
	__real_qsort(base, n, size, compare);
}

/* Each piece is below all earlier ones, and looked up at once. Sorting all then: n^2/2 elements. */
static void test_jit_pieces__growing_does_not_sort_all_again(void **state)
{
	enum { PIECES = 4096, LOG2 = 12 };
	struct jit_map map = {0};

	(void)state;
	sorted = 0;
	for (uint64_t i = PIECES; i > 0; i--) {
		char name[16];

		(void)snprintf(name, sizeof(name), "%d", (int)i);
		assert_int_equal(jit_map_put(&map, i << 4, 16, name, strlen(name)), 0);
		assert_string_equal(name_at(&map, (i << 4) + 15), name);
	}
	assert_string_equal(name_at(&map, 100 << 4), "100");
	assert_null(name_at(&map, 15));
	assert_true(sorted <= (size_t)PIECES * LOG2 * 17 / 10);
	jit_map_release(&map);
}

/* all pieces in the order in which they came */
struct plain {
	uint64_t start, end;
	char name[16];
};

static const struct plain *plain_find(const struct plain *piece, size_t n, uint64_t pc)
{
	while (n-- > 0) {
		if (piece[n].start <= pc && pc < piece[n].end)
			return &piece[n];
	}
	return NULL;
}

/* The last piece of those with the greatest start at or below @pc. */
static const struct plain *plain_below(const struct plain *piece, size_t n, uint64_t pc)
{
	const struct plain *best = NULL;

	for (size_t i = 0; i < n; i++) {
		if (piece[i].start <= pc && (!best || piece[i].start >= best->start))
			best = &piece[i];
	}
	return best;
}

static void compare(struct jit_map *map, const struct plain *piece, size_t n, uint64_t pc)
{
	const struct plain *at = plain_find(piece, n, pc), *below = plain_below(piece, n, pc);
	const struct plain *of = at ? at : below;
	struct unwind_generated generated;
	const char *name = name_at(map, pc);

	assert_int_equal(name != NULL, at != NULL);
	if (at)
		assert_string_equal(name, at->name);
	assert_int_equal(
		jit_map_unwind(map, pc, 0, &generated), at || (below && below->name[0] == 'p'));
	if (of && jit_map_unwind(map, pc, 0, &generated))
		assert_int_equal(generated.trampoline, of->name[0] == 'p');
}

static size_t put_or_move(struct jit_map *map, struct plain *piece, size_t n, uint64_t start,
	uint64_t to, uint64_t size, bool move)
{
	const struct plain *from = plain_below(piece, n, start);

	if (move) {
		assert_int_equal(jit_map_move(map, start, to, size), 0);
		if (!from || from->start != start)
			return n;
		piece[n] = *from;
		piece[n].start = to;
		piece[n].end = to + size;
		return n + 1;
	}
	piece[n].start = start;
	piece[n].end = start + size;
	(void)snprintf(piece[n].name, sizeof(piece[n].name), "%s%d", n % 3 ? "" : "py::", (int)n);
	assert_int_equal(jit_map_put(map, start, size, piece[n].name, strlen(piece[n].name)), 0);
	return n + 1;
}

/* Pieces overlap, replace others and are moved, with look-ups between. */
static void test_jit_pieces__finds_what_a_plain_search_finds(void **state)
{
	enum { PIECES = 600, RANGE = 1024 };
	static struct plain piece[PIECES];
	struct jit_map map = {0};
	uint64_t random = 1;
	size_t n = 0;

	(void)state;
	while (n < PIECES) {
		uint64_t start = random_number(&random) % RANGE,
			 to = random_number(&random) % RANGE;
		uint64_t size = 1 + random_number(&random) % 20;

		n = put_or_move(&map, piece, n, start, to, size, random_number(&random) % 4 == 0);
		for (uint64_t looks = random_number(&random) % 3; looks > 0; looks--)
			compare(&map, piece, n, random_number(&random) % RANGE);
	}
	for (uint64_t pc = 0; pc < RANGE + 40; pc++)
		compare(&map, piece, n, pc);
	assert_int_equal(map.n, PIECES);
	jit_map_release(&map);
}

/* The look-up has sorted the pieces before the move. */
static void test_jit_pieces__what_moves_is_found_after_a_look_up(void **state)
{
	struct jit_map map = {0};

	(void)state;
	for (uint64_t i = 1; i <= 5000; i++)
		assert_int_equal(jit_map_put(&map, i << 4, 16, i == 1 ? "first" : "other", 5), 0);
	assert_string_equal(name_at(&map, 16), "first");
	assert_int_equal(jit_map_move(&map, 16, 0x100000, 16), 0);
	assert_string_equal(name_at(&map, 0x100000), "first");
	jit_map_release(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_jit_pieces__growing_does_not_sort_all_again),
		cmocka_unit_test(test_jit_pieces__finds_what_a_plain_search_finds),
		cmocka_unit_test(test_jit_pieces__what_moves_is_found_after_a_look_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
