/* SPDX-License-Identifier: MIT */
/*
 * The second form of AIX's profil(): decode_aix(), and the supervisor's table of its result,
 * compared with the manual.
 */
#include "client/aix.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "supervisor/calls/region.h"

struct entry {
	uint64_t low, high, base;
	int32_t size, scale;
};

#define NOWHERE UINT64_MAX

static struct region_table *table_of(const struct entry *entries, unsigned n)
{
	struct call_region regions[16];
	struct region_table *table;

	assert_int_equal(sizeof(*entries), CLIENT_ENTRY_BYTES);
	for (unsigned i = 0; i < n; i++)
		decode_aix((const uint8_t *)&entries[i], &regions[i]);
	assert_int_equal(region_table_new(CALL_AIX, 0, 2, regions, n, &table), 0);
	return table;
}

static uint64_t address_of(const struct region_table *table, uint64_t pc)
{
	struct region_hit hit;

	return region_look_up(table, NULL, pc, &hit) ? hit.address : NOWHERE;
}

/* AIX-18: with a p_scale of -1, the scale is computed from p_low, p_high and p_bufsize. */
static void test_aix__computed_scales(void **state)
{
	static const struct {
		uint64_t low, high;
		int32_t size;
		uint32_t scale;
		uint64_t last; /* counter of the last address */
	} rows[] = {
		{0x400000, 0x401000, 0x800, 0x8000, 1023},
		{0x400000, 0x401000, 0x600, 0x6000, 767},
		{0x400000, 0x401000, 0x1000, 0xffff, 2047}, /* not 0x10000, which would mean off */
		{0x400000, 0x401000, 0x2000, 0xffff, 2047},
		{0x400000, 0x420000, 2, 1, 0},
		{0x400000, 0x440000, 2, 1, 0}, /* the scale is not 0, which would mean off */
		{0x400000, 0x401000, 0, 0, NOWHERE},
		{0x400000, 0x401000, 1, 0, NOWHERE},
		{0x400000, 0x401000, -1, 0xffff, 2047}, /* a size of 4 GiB less 1 */
		{0x401000, 0x400000, 0x800, 0, NOWHERE},
		{0x400000, 0x400000, 0x800, 0, NOWHERE},
		{0, UINT64_MAX, 0x800, 1, 0},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct entry e = {rows[i].low, rows[i].high, 0x10000, rows[i].size, -1};
		uint64_t expected = rows[i].last == NOWHERE ? NOWHERE : 0x10000 + 2 * rows[i].last;
		struct call_region region;
		struct region_table *table = table_of(&e, 1);

		decode_aix((const uint8_t *)&e, &region);
		assert_int_equal(region.scale, rows[i].scale);
		assert_int_equal(address_of(table, e.high - 1), expected);
		assert_int_equal(address_of(table, e.high), NOWHERE);
		if (e.low)
			assert_int_equal(address_of(table, e.low - 1), NOWHERE);
		region_table_unref(table);
	}
}

/* Finds the counter of @pc entry by entry, by the sentences of the manual. */
static uint64_t oracle(const struct entry *e, unsigned n, uint64_t pc)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t counters = (uint64_t)(uint32_t)e[i].size / 2, index;
		uint32_t scale = (uint32_t)e[i].scale & 0xffff;

		if (e[i].scale == -1) {
			uint64_t whole = ((uint64_t)(uint32_t)e[i].size << 16) /
				(e[i].high > e[i].low ? e[i].high - e[i].low : 1);

			scale = whole > 0xffff ? 0xffff : whole ? (uint32_t)whole : 1;
		}
		if (!scale || !counters || pc >= e[i].high)
			continue;
		if (pc < e[i].low)
			return NOWHERE;
		index = scale == 1 ? 0 : (pc - e[i].low) * scale / 131072;
		return index < counters ? e[i].base + 2 * index : NOWHERE;
	}
	return NOWHERE;
}

static uint32_t below(uint32_t n)
{
	return (uint32_t)(random() % n);
}

/*
 * AIX-16, AIX-20: random arrays that ascend, with gaps, overlaps, sizes of 0 and 1, and all scales,
 * agree with the oracle.
 */
static void test_aix__random_arrays_match_the_oracle(void **state)
{
	static const int32_t scales[] = {
		-1, 0, 1, 2, 3, 0x4000, 0x7fff, 0x8000, 0xffff, 0x10000, 0x10001, 0x18000};

	(void)state;
	srandom(16);
	for (unsigned round = 0; round < 3000; round++) {
		struct entry e[8];
		unsigned n = 1 + below(8);
		uint64_t high = 0x400000;
		struct region_table *table;

		for (unsigned i = 0; i < n; i++) {
			uint64_t bytes = 1 + below(200);

			high += 1 + below(100);
			e[i] = (struct entry){high - bytes, high, 0x10000 * (i + 1),
				(int32_t)below(below(2) ? 3 : 200),
				scales[below(sizeof(scales) / sizeof(*scales))]};
		}
		table = table_of(e, n);
		for (uint64_t pc = 0x400000 - 220; pc < high + 20; pc++) {
			uint64_t expected = oracle(e, n, pc);

			if (address_of(table, pc) != expected)
				fail_msg("round %u: 0x%llx", round, (unsigned long long)pc);
		}
		region_table_unref(table);
	}
}

/* AIX-20: addresses must ascend strictly. */
static void test_aix__ascending(void **state)
{
	struct call_region a = {.limit = 10}, b = {.limit = 11};

	(void)state;
	assert_int_equal(check_ascending(NULL, 0, &a, NULL), 0);
	assert_int_equal(check_ascending(NULL, 1, &b, &a), 0);
	assert_int_equal(check_ascending(NULL, 1, &a, &b), -EINVAL);
	assert_int_equal(check_ascending(NULL, 1, &a, &a), -EINVAL);
}

/* AIX-21: the entry with p_high 0 ends the array; as many as are permitted may precede it. */
static void test_aix__the_length_of_an_array(void **state)
{
	struct entry *e = calloc(CALL_MAX_REGIONS + 1, sizeof(*e));

	(void)state;
	assert_non_null(e);
	assert_int_equal(count_entries(e), 0);
	for (uint64_t i = 0; i < CALL_MAX_REGIONS; i++)
		e[i].high = 1 + i;
	assert_int_equal(count_entries(e), CALL_MAX_REGIONS);
	e[CALL_MAX_REGIONS].high = UINT64_MAX;
	assert_int_equal(count_entries(e), -E2BIG);
	e[3].high = 0;
	assert_int_equal(count_entries(e), 3);
	free(e);
	assert_int_equal(count_entries((const void *)16), -EFAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aix__computed_scales),
		cmocka_unit_test(test_aix__random_arrays_match_the_oracle),
		cmocka_unit_test(test_aix__ascending),
		cmocka_unit_test(test_aix__the_length_of_an_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
