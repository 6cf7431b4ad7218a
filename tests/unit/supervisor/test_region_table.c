/* SPDX-License-Identifier: MIT */
/*
 * Which of several regions counts a program counter: overlaps, overflow bins, dead regions; and
 * tables that are refused. HPUX-10 and so on are clauses of docs/CONFORMANCE.md.
 */
#include <errno.h>

#include "tests/unit/supervisor/region_fixture.h"

/* IRIX-5: each region has its own scale. */
static void test_region__scales_differ(void **state)
{
	struct call_region r[2] = {
		{.base = 0, .bytes = 0x1000, .offset = 0x10000000, .scale = 0x10000},
		{.base = 0x1000, .bytes = 0x1000, .offset = 0x20000000, .scale = 0x1000},
	};
	struct region_table *t = table(CALL_IRIX, 2, r, 2);
	uint32_t region;

	(void)state;
	assert_int_equal(at(t, 0x10000008, &region), 4);
	assert_int_equal(region, 0);
	assert_int_equal(at(t, 0x20000040, &region), 2);
	assert_int_equal(region, 1);
	region_table_unref(t);
}

/* HPUX-10, IRIX-17: of overlapping regions, the one with the greatest offset counts. */
static void test_region__greatest_offset_wins(void **state)
{
	struct call_region r[2] = {
		{.bytes = 0x1000, .offset = 0x10000000, .scale = 0x10000},
		{.bytes = 0x200, .offset = 0x10000400, .scale = 0x10000},
	};
	struct region_table *t;
	uint32_t region;

	(void)state;
	for (unsigned order = 0; order < 2; order++) {
		t = table(CALL_HPUX, 2, r, 2);
		assert_int_equal(at(t, 0x10000500, &region), 0x80);
		assert_int_equal(region, order ? 0 : 1);
		assert_int_equal(at(t, 0x10000400, &region), 0);
		assert_int_equal(region, order ? 0 : 1);
		assert_int_equal(at(t, 0x10000100, &region), 0x80);
		assert_int_equal(region, order ? 1 : 0);
		/* Past that region's end, the other one counts. */
		assert_int_equal(at(t, 0x10000700, &region), 0x380);
		assert_int_equal(region, order ? 1 : 0);
		region_table_unref(t);
		struct call_region swap = r[0];
		r[0] = r[1];
		r[1] = swap;
	}
}

/* HPUX-11, IRIX-18: of regions with equal offsets, the first one counts. */
static void test_region__first_of_equals_wins(void **state)
{
	struct call_region r[40];
	struct region_table *t;
	uint32_t region;

	(void)state;
	for (uint32_t n = 2; n <= 40; n += 38) {
		for (uint32_t i = 0; i < n; i++)
			r[i] = (struct call_region){
				.base = i, .bytes = 0x100, .offset = 0x10000000, .scale = 0x10000};
		t = table(CALL_IRIX, 2, r, n);
		assert_int_equal(at(t, 0x10000010, &region), 8);
		assert_int_equal(region, 0);
		region_table_unref(t);
		/* Past the end of a shorter first region, the second counts. */
		r[0].bytes = 0x10;
		t = table(CALL_IRIX, 2, r, n);
		assert_int_equal(at(t, 0x1000000f, &region), 7);
		assert_int_equal(region, 0);
		assert_int_equal(at(t, 0x10000010, &region), 8);
		assert_int_equal(region, 1);
		region_table_unref(t);
	}
}

/* A region at address 0 begins there: nothing lies below. */
static void test_region__several_at_address_0(void **state)
{
	const struct call_region r[3] = {
		{.base = 0x1000, .bytes = 8, .offset = 0, .scale = 0x10000},
		{.base = 0x2000, .bytes = 16, .offset = 0, .scale = 0x10000},
		{.base = 0x3000, .bytes = 32, .offset = 0, .scale = 0x10000},
	};
	struct region_table *t = table(CALL_IRIX, 2, r, 3);
	uint32_t region;

	(void)state;
	assert_int_equal(at(t, 7, &region), 3);
	assert_int_equal(region, 0);
	assert_int_equal(at(t, 8, &region), 4);
	assert_int_equal(region, 1);
	assert_int_equal(at(t, 31, &region), 15);
	assert_int_equal(region, 2);
	assert_int_equal(at(t, 32, NULL), NONE);
	assert_int_equal(at(t, UINT64_MAX, NULL), NONE);
	region_table_unref(t);
}

/* HPUX-12, 12b, 12c, IRIX-19: an overflow bin counts what no other region counts. */
static void test_region__overflow_bin(void **state)
{
	struct call_region r[2] = {
		{.base = 0x1000, .bytes = 0x100, .offset = OFF, .scale = 0x10000},
		{.base = 0x2000, .bytes = 64, .offset = 0, .scale = 2},
	};
	struct region_table *t = table(CALL_HPUX, 4, r, 2);
	uint32_t region;

	(void)state;
	assert_int_equal(at(t, OFF + 4, &region), 1);
	assert_int_equal(region, 0);
	assert_int_equal(at(t, 0x7e0000000000, &region), 0);
	assert_int_equal(region, 1);
	assert_int_equal(at(t, OFF + 0x200, &region), 0);
	assert_int_equal(region, 1);
	assert_int_equal(at(t, 0, &region), 0);
	assert_int_equal(at(t, UINT64_MAX, &region), 0);
	region_table_unref(t);

	t = table(CALL_HPUX, 4, r, 1); /* without the bin, no counter */
	assert_int_equal(at(t, OFF + 0x200, NULL), NONE);
	region_table_unref(t);

	r[1].scale = 4; /* an ordinary region from address 0 */
	t = table(CALL_HPUX, 4, r, 2);
	assert_int_equal(at(t, 0x7e0000000000, NULL), NONE);
	assert_int_equal(at(t, 65536, &region), 1);
	region_table_unref(t);
	r[1].scale = 2;
	r[1].offset = 1;
	t = table(CALL_HPUX, 4, r, 2);
	assert_int_equal(at(t, 0x7e0000000000, NULL), NONE);
	assert_int_equal(at(t, 131073, &region), 1);
	region_table_unref(t);
	r[1] = (struct call_region){.bytes = 3, .scale = 2}; /* no room for a counter */
	t = table(CALL_HPUX, 4, r, 2);
	assert_int_equal(at(t, 0x7e0000000000, NULL), NONE);
	region_table_unref(t);
}

/* SYSV-10, C2: scale 2 at offset 0 is no overflow bin where the manual has none. */
static void test_region__no_bin_where_unknown(void **state)
{
	struct call_region r = {.bytes = 8, .offset = 0, .scale = 2};
	struct region_table *t = table(CALL_SYSV, 2, &r, 1);

	(void)state;
	assert_int_equal(at(t, 65536, NULL), 1);
	assert_int_equal(at(t, 4 * 65536, NULL), NONE);
	region_table_unref(t);
	assert_int_equal(region_table_new(CALL_GLIBC, CALL_PLAIN, 2, &r, 1, &t), 0);
	assert_int_equal(at(t, 65536, NULL), 1);
	assert_int_equal(at(t, 4 * 65536, NULL), NONE);
	region_table_unref(t);
}

/* IRIX-28, IRIX-29, SYSV-16, SYSV-17: a region that is off takes no address from others. */
static void test_region__disabled_does_not_shadow(void **state)
{
	struct call_region r[3] = {
		{.bytes = 0x1000, .offset = OFF, .scale = 0x10000},
		{.bytes = 0x100, .offset = OFF + 0x100, .scale = 1},
		{.base = 0x5000, .bytes = 8, .offset = 0, .scale = 2},
	};
	struct region_table *t;
	uint32_t region;

	(void)state;
	for (uint32_t scale = 0; scale < 2; scale++) {
		r[1].scale = scale;
		t = table(CALL_IRIX, 2, r, 3);
		assert_int_equal(at(t, OFF + 0x120, &region), 0x90);
		assert_int_equal(region, 0);
		region_table_unref(t);
		t = table(CALL_IRIX, 2, r + 1, 2);
		assert_int_equal(at(t, OFF + 0x120, &region), 0);
		assert_int_equal(region, 1);
		region_table_unref(t);
		assert_int_equal(one(CALL_SYSV, 2, scale, 0x100, 0), NONE);
		t = table(CALL_IRIX, 2, r + 1, 1);
		assert_false(region_table_is_active(t));
		region_table_unref(t);
	}
	r[1].scale = 0x10000;
	r[1].bytes = 0;
	t = table(CALL_IRIX, 2, r, 3);
	assert_int_equal(at(t, OFF + 0x120, &region), 0x90);
	assert_int_equal(region, 0);
	region_table_unref(t);
	assert_int_equal(one(CALL_SYSV, 2, 2, 0, 0), NONE);
}

static void test_region__dead_region_is_absent(void **state)
{
	struct call_region r[3] = {
		{.bytes = 0x1000, .offset = OFF, .scale = 0x10000},
		{.bytes = 0x100, .offset = OFF + 0x100, .scale = 0x10000},
		{.base = 0x5000, .bytes = 8, .offset = 0, .scale = 2},
	};
	struct region_table *t = table(CALL_IRIX, 2, r, 3);
	struct region_table *without;
	struct region_hit hit;
	uint8_t dead = 2;
	uint32_t region;

	(void)state;
	assert_true(region_look_up(t, &dead, OFF + 0x110, &hit));
	assert_int_equal(hit.region, 0);
	assert_int_equal(hit.index, 0x88);
	assert_int_equal(region_table_without(t, &dead, &without), 0);
	assert_int_equal(at(without, OFF + 0x110, &region), 0x88);
	assert_int_equal(region, 0);
	assert_int_equal(at(without, OFF + 0x2000, &region), 0);
	assert_int_equal(region, 2);
	region_table_unref(without);
	dead = 3;
	assert_true(region_look_up(t, &dead, OFF + 0x110, &hit));
	assert_int_equal(hit.region, 2);
	dead = 7;
	assert_false(region_look_up(t, &dead, OFF + 0x110, &hit));
	region_table_unref(t);

	/* The first bin counts ticks of a dead region, although the second has more room. */
	r[0] = (struct call_region){.base = 0x5000, .bytes = 8, .offset = 0, .scale = 2};
	r[1] = (struct call_region){.base = 0x6000, .bytes = 0x1000, .offset = 0, .scale = 2};
	r[2] = (struct call_region){.bytes = 0x100, .offset = OFF, .scale = 0x10000};
	t = table(CALL_GLIBC, 2, r, 3);
	dead = 4;
	assert_true(region_look_up(t, &dead, OFF, &hit));
	assert_int_equal(hit.region, 0);
	region_table_unref(t);

	/* Without its dead region the table is still AIX's: scale 1 takes all addresses. */
	r[0] = (struct call_region){.bytes = 8, .offset = OFF, .limit = OFF + 8, .scale = 0x8000};
	r[1] = (struct call_region){.bytes = 2, .offset = OFF + 8, .limit = 2 * OFF, .scale = 1};
	t = table(CALL_AIX, 2, r, 2);
	dead = 1;
	assert_int_equal(region_table_without(t, &dead, &without), 0);
	assert_int_equal(at(without, 2 * OFF - 1, &region), 0);
	assert_int_equal(region, 1);
	region_table_unref(without);
	region_table_unref(t);
}

static void test_region__refuses_nonsense(void **state)
{
	struct call_region r = {.bytes = 8, .offset = OFF, .scale = 0x10000}, two[2] = {r, r};
	struct region_table *t = NULL;

	(void)state;
	assert_int_equal(region_table_new(CALL_DIALECTS, 0, 2, &r, 1, &t), -EINVAL);
	assert_int_equal(region_table_new(CALL_IRIX, 0, 3, &r, 1, &t), -EINVAL);
	assert_int_equal(region_table_new(CALL_IRIX, 0, 2, &r, CALL_MAX_REGIONS + 1, &t), -EINVAL);
	/* C21: a buffer up to the last address; a byte more; one of a region that is off. */
	r = (struct call_region){.base = UINT64_MAX - 15, .bytes = 16, .offset = 8, .scale = 2};
	region_table_unref(table(CALL_IRIX, 4, &r, 1));
	r.bytes = 17;
	assert_int_equal(region_table_new(CALL_IRIX, 0, 4, &r, 1, &t), -EINVAL);
	two[1] = r;
	assert_int_equal(region_table_new(CALL_IRIX, 0, 4, two, 2, &t), -EINVAL);
	assert_int_equal(region_table_new(CALL_AIX, 0, 4, &r, 1, &t), -EINVAL);
	r.scale = 1;
	region_table_unref(table(CALL_IRIX, 4, &r, 1));
	r = (struct call_region){.base = 16, .bytes = UINT64_MAX, .offset = 8, .scale = 2};
	assert_int_equal(region_table_new(CALL_GLIBC, 0, 4, &r, 1, &t), -EINVAL);
	assert_null(t);
	region_table_unref(NULL);
	t = table(CALL_IRIX, 2, NULL, 0);
	assert_int_equal(at(t, OFF, NULL), NONE);
	region_table_unref(region_table_ref(t));
	region_table_unref(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_region__scales_differ),
		cmocka_unit_test(test_region__greatest_offset_wins),
		cmocka_unit_test(test_region__first_of_equals_wins),
		cmocka_unit_test(test_region__several_at_address_0),
		cmocka_unit_test(test_region__overflow_bin),
		cmocka_unit_test(test_region__no_bin_where_unknown),
		cmocka_unit_test(test_region__disabled_does_not_shadow),
		cmocka_unit_test(test_region__dead_region_is_absent),
		cmocka_unit_test(test_region__refuses_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
