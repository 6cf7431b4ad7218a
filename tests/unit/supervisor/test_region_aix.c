/* SPDX-License-Identifier: MIT */
/*
 * Regions of AIX: scales of 16 bits, scale 1 for all addresses, ranges with an end. AIX-6 and so on
 * are clauses of docs/CONFORMANCE.md.
 */
#include "tests/unit/supervisor/region_fixture.h"

/* AIX-6 to AIX-14: which counter an address has, by the low 16 bits of the scale. */
static void test_region__aix_scale(void **state)
{
	uint64_t before = 0;
	unsigned distinct = 1;

	(void)state;
	assert_int_equal(one(CALL_AIX, 2, 0xffff, 5, 0), 0);
	assert_int_equal(one(CALL_AIX, 2, 0xffff, 5, 6), NONE);
	assert_int_equal(one(CALL_AIX, 2, 0xffff, 1, 0), NONE);
	for (uint64_t d = 0; d < 64; d++) {
		assert_int_equal(one(CALL_AIX, 2, 0x00058000, 0x100, d), d / 4);
		assert_int_equal(one(CALL_AIX, 2, 0x10000, 0x100, d), NONE);
		assert_int_equal(one(CALL_AIX, 2, 0x20000, 0x100, d), NONE);
		assert_int_equal(one(CALL_AIX, 2, 0x10001, 0x100, d << 32), 0);
	}
	for (uint64_t k = 0; k < 100; k++) {
		uint64_t pair = one(CALL_AIX, 2, 0xffff, 0x1000, 2 * k);
		uint64_t four = one(CALL_AIX, 2, 0x7fff, 0x1000, 4 * k);

		assert_true(pair == k || pair + 1 == k);
		assert_true(four == k || four + 1 == k);
		distinct += pair > before;
		before = pair;
	}
	assert_true(distinct >= 99);
	/* AIX-14: no scale distinguishes all bytes. */
	for (uint32_t scale = 1; scale <= 0xffff; scale++) {
		bool same = false;

		for (uint64_t d = 0; d < 3; d++)
			same |= one(CALL_AIX, 2, scale, 0x100, d) ==
				one(CALL_AIX, 2, scale, 0x100, d + 1);
		assert_true(same);
	}
}

/* AIX-12: with scale 1, one counter counts all addresses. */
static void test_region__aix_scale_one_takes_all(void **state)
{
	(void)state;
	assert_int_equal(one(CALL_AIX, 2, 1, 2, 0), 0);
	assert_int_equal(one(CALL_AIX, 2, 1, 2, 0x7e0000000000), 0);
	assert_int_equal(one(CALL_AIX, 2, 1, 2, (uint64_t)-2), 0);
	assert_int_equal(one(CALL_AIX, 2, 1, 1, 0), NONE);
	/* In all other dialects scale 1 is off. */
	assert_int_equal(one(CALL_IRIX, 2, 1, 2, 0), NONE);
	assert_int_equal(one(CALL_SYSV, 2, 1, 2, 0), NONE);
	assert_int_equal(one(CALL_GLIBC, 2, 1, 2, 0), NONE);
	assert_int_equal(one(CALL_HPUX, 2, 1, 2, 0), NONE);
	assert_int_equal(one(CALL_NATIVE, 2, 1, 2, 0), NONE);
}

/* AIX-16, AIX-20, CONFORMANCE 2.4: the first range that ends above the address has it. */
static void test_region__aix_scans_in_order(void **state)
{
	struct call_region r[2] = {
		{.bytes = 0x10000, .offset = 0x1000, .limit = 0x3000, .scale = 0xffff},
		{.bytes = 0x10000, .offset = 0x2000, .limit = 0x4000, .scale = 0xffff},
	};
	struct region_table *t = table(CALL_AIX, 2, r, 2);
	uint32_t region = 9;

	(void)state;
	assert_int_not_equal(at(t, 0x2800, &region), NONE);
	assert_int_equal(region, 0);
	assert_int_not_equal(at(t, 0x2fff, &region), NONE);
	assert_int_equal(region, 0);
	assert_int_not_equal(at(t, 0x3000, &region), NONE);
	assert_int_equal(region, 1);
	assert_int_equal(at(t, 0x4000, NULL), NONE);
	assert_int_equal(at(t, 0xfff, NULL), NONE);
	region_table_unref(t);

	/* A region whose buffer is too short keeps its addresses from later regions. */
	r[0].bytes = 2;
	t = table(CALL_AIX, 2, r, 2);
	assert_int_equal(at(t, 0x2800, NULL), NONE);
	region_table_unref(t);
	/* A region that is off (scale 0) does not. */
	r[0].scale = 0;
	t = table(CALL_AIX, 2, r, 2);
	assert_int_not_equal(at(t, 0x2800, &region), NONE);
	assert_int_equal(region, 1);
	region_table_unref(t);
	/* With scale 1, one counter has all addresses of the range, and no others. */
	r[0].scale = 1;
	t = table(CALL_AIX, 2, r, 2);
	assert_int_equal(at(t, 0x2800, &region), 0);
	assert_int_equal(region, 0);
	assert_int_equal(at(t, 0xfff, NULL), NONE);
	region_table_unref(t);
}

/* CONFORMANCE 2.4: with the scale of p_scale -1, the last address has the counter @last. */
static void test_region__aix_computed_scales(void **state)
{
	static const struct {
		uint64_t high, bytes, last;
		uint32_t scale;
	} rows[] = {
		{0x401000, 0x800, 1023, 0x8000},
		{0x401000, 0x600, 767, 0x6000},
		{0x401000, 0x1000, 2047, 0xffff},
		{0x401000, 0x2000, 2047, 0xffff},
		{0x420000, 2, 0, 1},
		{0x440000, 2, 0, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct call_region r = {.bytes = rows[i].bytes,
			.offset = OFF,
			.limit = rows[i].high,
			.scale = rows[i].scale};
		struct region_table *t = table(CALL_AIX, 2, &r, 1);

		assert_int_equal(at(t, rows[i].high - 1, NULL), rows[i].last);
		assert_int_equal(at(t, rows[i].high, NULL), NONE);
		region_table_unref(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_region__aix_scale),
		cmocka_unit_test(test_region__aix_scale_one_takes_all),
		cmocka_unit_test(test_region__aix_scans_in_order),
		cmocka_unit_test(test_region__aix_computed_scales),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
