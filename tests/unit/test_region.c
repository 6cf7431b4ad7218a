/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "supervisor/calls/region.h"

#define OFF  UINT64_C(0x400000)
#define NONE UINT64_MAX

__extension__ typedef unsigned __int128 u128;

static struct region_table *table(enum call_dialect dialect, unsigned element,
	const struct call_region *regions, uint32_t count)
{
	struct region_table *t = NULL;

	assert_int_equal(region_table_new(dialect, 0, element, regions, count, &t), 0);
	return t;
}

/* Counter of @pc, or NONE. @ret_region may be NULL. */
static uint64_t at(const struct region_table *t, uint64_t pc, uint32_t *ret_region)
{
	struct region_hit hit;

	if (!region_look_up(t, NULL, pc, &hit))
		return NONE;
	assert_int_equal(hit.address, t->region[hit.region].base + hit.index * t->element);
	if (ret_region)
		*ret_region = hit.region;
	return hit.index;
}

/* Counter of OFF + @d in one region. */
static uint64_t one(
	enum call_dialect dialect, unsigned e, uint32_t scale, uint64_t bytes, uint64_t d)
{
	struct call_region r = {.base = 0x10000, .bytes = bytes, .offset = OFF, .scale = scale};
	struct region_table *t = table(dialect, e, &r, 1);
	uint64_t index = at(t, OFF + d, NULL);

	region_table_unref(t);
	return index;
}

/* CONFORMANCE 2.3, as it stands there. */
static void test_region__worked_examples(void **state)
{
	static const struct {
		unsigned e;
		uint32_t scale;
		uint64_t d, index;
	} rows[] = {
		{2, 0x20000, 0, 0},
		{2, 0x20000, 1, 1},
		{2, 0x20000, 2, 2},
		{2, 0x20000, 3, 3},
		{2, 0x20000, 65535, 65535},
		{2, 0x10000, 0, 0},
		{2, 0x10000, 1, 0},
		{2, 0x10000, 2, 1},
		{2, 0x10000, 3, 1},
		{2, 0x10000, 4, 2},
		{2, 0x10000, 65535, 32767},
		{2, 0x10000, 131072, 65536},
		{2, 0xffff, 0, 0},
		{2, 0xffff, 1, 0},
		{2, 0xffff, 2, 0},
		{2, 0xffff, 3, 1},
		{2, 0xffff, 4, 1},
		{2, 0xffff, 5, 2},
		{2, 0xffff, 6, 2},
		{2, 0xffff, 8, 3},
		{2, 0xffff, 16, 7},
		{2, 0xffff, 65536, 32767},
		{2, 0xffff, 131072, 65535},
		{2, 0x8000, 0, 0},
		{2, 0x8000, 3, 0},
		{2, 0x8000, 4, 1},
		{2, 0x8000, 7, 1},
		{2, 0x8000, 8, 2},
		{2, 0x7fff, 0, 0},
		{2, 0x7fff, 4, 0},
		{2, 0x7fff, 5, 1},
		{2, 0x7fff, 8, 1},
		{2, 0x7fff, 12, 2},
		{2, 0x7fff, 16, 3},
		{2, 0x4000, 0, 0},
		{2, 0x4000, 7, 0},
		{2, 0x4000, 8, 1},
		{2, 0x4000, 15, 1},
		{2, 0x4000, 16, 2},
		{2, 3, 43690, 0},
		{2, 3, 43691, 1},
		{2, 3, 87381, 1},
		{2, 3, 87382, 2},
		{2, 3, 131072, 3},
		{2, 2, 65535, 0},
		{2, 2, 65536, 1},
		{2, 2, 131071, 1},
		{2, 2, 131072, 2},
		{4, 0x10000, 0, 0},
		{4, 0x10000, 3, 0},
		{4, 0x10000, 4, 1},
		{4, 0x10000, 7, 1},
		{4, 0x10000, 131072, 32768},
		{4, 0x20000, 0, 0},
		{4, 0x20000, 1, 0},
		{4, 0x20000, 2, 1},
		{4, 0x20000, 3, 1},
		{4, 0x20000, 4, 2},
		{4, 2, 131071, 0},
		{4, 2, 131072, 1},
		{4, 2, 262144, 2},
		{8, 0x10000, 0, 0},
		{8, 0x10000, 7, 0},
		{8, 0x10000, 8, 1},
		{8, 0x10000, 15, 1},
		{8, 0x20000, 0, 0},
		{8, 0x20000, 3, 0},
		{8, 0x20000, 4, 1},
		{8, 0x20000, 7, 1},
		{8, 0x40000, 0, 0},
		{8, 0x40000, 1, 0},
		{8, 0x40000, 2, 1},
		{8, 0x40000, 3, 1},
		{8, 2, 262143, 0},
		{8, 2, 262144, 1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(one(CALL_NATIVE, rows[i].e, rows[i].scale, 0x80000, rows[i].d),
			rows[i].index);
}

static void test_region__buffer_edge(void **state)
{
	(void)state;
	assert_int_equal(one(CALL_IRIX, 2, 0x10000, 0x1000, 0xfff), 0x7ff);
	assert_int_equal(one(CALL_IRIX, 2, 0x10000, 0x1000, 0x1000), NONE);
	/* a trailing part of a counter is not usable */
	assert_int_equal(one(CALL_IRIX, 2, 0x10000, 5, 3), 1);
	assert_int_equal(one(CALL_IRIX, 2, 0x10000, 5, 4), NONE);
	assert_int_equal(one(CALL_IRIX, 2, 0x10000, 1, 0), NONE);
	assert_int_equal(one(CALL_IRIX, 2, 0x10000, 0, 0), NONE);
	/* start included, below it never */
	assert_int_equal(one(CALL_IRIX, 2, 0x10000, 0x1000, 0), 0);
	assert_int_equal(one(CALL_IRIX, 2, 0x10000, 0x1000, (uint64_t)-1), NONE);
	assert_int_equal(one(CALL_IRIX, 2, 0x10000, 0x1000, (uint64_t)-2), NONE);
	/* SYSV-15: region 0x1000, ratio a quarter */
	assert_int_equal(one(CALL_SYSV, 2, 0x4000, 0x400, 0xfff), 511);
	assert_int_equal(one(CALL_SYSV, 2, 0x4000, 0x400, 0x1000), NONE);
	assert_int_equal(one(CALL_SYSV, 2, 2, 2, 65536), NONE);
}

/* CONFORMANCE 2.2. */
static void test_region__wide_distances(void **state)
{
	struct call_region r = {
		.base = 0, .bytes = 1 << 24, .offset = 0x7ffff7c00000, .scale = 0x10000};
	struct region_table *t = table(CALL_NATIVE, 2, &r, 1);

	(void)state;
	assert_int_equal(at(t, 0x7ffff7dd5000, NULL), 0xea800);
	region_table_unref(t);
	assert_int_equal(one(CALL_NATIVE, 2, 0x8000, 0x1000, UINT64_C(1) << 49), NONE);
	assert_int_equal(one(CALL_NATIVE, 2, 0x8000, UINT64_C(1) << 49, UINT64_C(1) << 49),
		UINT64_C(1) << 47);
	assert_int_equal(one(CALL_NATIVE, 2, 0x10000, 0x1000, UINT64_C(1) << 32), NONE);
	assert_int_equal(one(CALL_NATIVE, 2, 0x10000, 0x1000, (UINT64_C(1) << 32) + 6), NONE);
	assert_int_equal(one(CALL_NATIVE, 2, 0x10000, UINT64_C(1) << 33, UINT64_C(1) << 32),
		UINT64_C(1) << 31);
	/* a region that would end beyond the address space ends with it */
	assert_int_equal(one(CALL_NATIVE, 8, 2, UINT64_MAX - 0xffff, UINT64_MAX - OFF),
		(UINT64_MAX - OFF) >> 18);
	assert_int_equal(one(CALL_NATIVE, 8, 2, UINT64_MAX - 0xffff, (uint64_t)-1), NONE);
}

/* Counts the instructions of @insn bytes that fall on each of the first three counters. */
static void check_cell(unsigned insn, uint32_t scale, unsigned e, unsigned expected)
{
	struct call_region r = {.bytes = 1 << 20, .offset = OFF, .scale = scale};
	struct region_table *t = table(CALL_HPUX, e, &r, 1);
	unsigned seen[4] = {0};

	for (uint64_t k = 0; k < 3 * (uint64_t)expected + 1; k++) {
		uint64_t index = at(t, OFF + k * insn, NULL);

		assert_in_range(index, 0, 3);
		seen[index]++;
	}
	assert_int_equal(seen[0], expected);
	assert_int_equal(seen[1], expected);
	assert_int_equal(seen[2], expected);
	assert_int_equal(seen[3], 1);
	/* the slots of an IA-64 bundle are one place */
	for (uint64_t k = 0; insn == 16 && k < 3 * (uint64_t)expected; k++)
		for (unsigned slot = 1; slot < 3; slot++)
			assert_int_equal(
				at(t, OFF + 16 * k + slot, NULL), at(t, OFF + 16 * k, NULL));
	region_table_unref(t);
}

/*
 * The tables of the HP-UX page, typed from it; 0 stands for "0.5" and "0.25", where the manual
 * calls the result undefined and only the bounds must hold.
 */
static void test_region__hpux_tables(void **state)
{
	static const unsigned pa_risc[17][4] = {
		{2, 16384, 32768, 65536},
		{4, 8192, 16384, 32768},
		{8, 4096, 8192, 16384},
		{16, 2048, 4096, 8192},
		{32, 1024, 2048, 4096},
		{64, 512, 1024, 2048},
		{128, 256, 512, 1024},
		{256, 128, 256, 512},
		{512, 64, 128, 256},
		{1024, 32, 64, 128},
		{2048, 16, 32, 64},
		{4096, 8, 16, 32},
		{8192, 4, 8, 16},
		{16384, 2, 4, 8},
		{32768, 1, 2, 4},
		{65536, 0, 1, 2},
		{131072, 0, 0, 1},
	};
	static const unsigned itanium[15][4] = {
		{2, 4096, 8192, 16384},
		{4, 2048, 4096, 8192},
		{8, 1024, 2048, 4096},
		{16, 512, 1024, 2048},
		{32, 256, 512, 1024},
		{64, 128, 256, 512},
		{128, 64, 128, 256},
		{256, 32, 64, 128},
		{512, 16, 32, 64},
		{1024, 8, 16, 32},
		{2048, 4, 8, 16},
		{4096, 2, 4, 8},
		{8192, 1, 2, 4},
		{16384, 0, 1, 2},
		{32768, 0, 0, 1},
	};
	unsigned cells = 0;

	(void)state;
	for (unsigned row = 0; row < 17 + 15; row++) {
		const unsigned *cell = row < 17 ? pa_risc[row] : itanium[row - 17];
		unsigned insn = row < 17 ? 4 : 16;

		for (unsigned width = 0; width < 3; width++) {
			unsigned e = 2u << width;

			cells++;
			if (cell[1 + width]) {
				check_cell(insn, cell[0], e, cell[1 + width]);
				continue;
			}
			for (uint64_t d = 0; d < 256; d++) {
				uint64_t index = one(CALL_HPUX, e, cell[0], 64, d);

				assert_true(index == NONE || index < 64 / e);
			}
		}
	}
	assert_int_equal(cells, 96);
}

/* HPUX-7, HPUX-8, IRIX-13, IRIX-14: one instruction to a counter. */
static void test_region__one_to_one(void **state)
{
	(void)state;
	for (uint64_t k = 0; k < 1000; k++) {
		assert_int_equal(one(CALL_IRIX, 2, 0x8000, 2000, 4 * k), k);
		assert_int_equal(one(CALL_IRIX, 4, 0x10000, 4000, 4 * k), k);
		assert_int_equal(one(CALL_HPUX, 8, 0x20000, 8000, 4 * k), k);
	}
	assert_int_equal(one(CALL_IRIX, 2, 0x8000, 2000, 4000), NONE);
	assert_int_equal(one(CALL_IRIX, 4, 0x10000, 4000, 4000), NONE);
	assert_int_equal(one(CALL_HPUX, 8, 0x20000, 8000, 4000), NONE);
}

/* HPUX-9: a ratio below one instruction is undefined, but nothing outside the buffer is touched. */
static void test_region__absurd_scale_stays_inside(void **state)
{
	(void)state;
	for (uint64_t d = 0; d < 64; d++) {
		uint64_t index = one(CALL_HPUX, 2, UINT32_MAX, 64, d);

		assert_true(index == NONE || index < 32);
	}
}

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

/* HPUX-10, IRIX-17. */
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
		/* behind the end of the greater one the smaller one goes on */
		assert_int_equal(at(t, 0x10000700, &region), 0x380);
		assert_int_equal(region, order ? 1 : 0);
		region_table_unref(t);
		struct call_region swap = r[0];
		r[0] = r[1];
		r[1] = swap;
	}
}

/* HPUX-11, IRIX-18. */
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
		/* the first is shorter: behind its end the second has it */
		r[0].bytes = 0x10;
		t = table(CALL_IRIX, 2, r, n);
		assert_int_equal(at(t, 0x1000000f, &region), 7);
		assert_int_equal(region, 0);
		assert_int_equal(at(t, 0x10000010, &region), 8);
		assert_int_equal(region, 1);
		region_table_unref(t);
	}
}

/* Nothing lies below address 0: what covers it from there on is no reason to begin before it. */
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

/* HPUX-12, 12b, 12c, IRIX-19. */
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

	t = table(CALL_HPUX, 4, r, 1); /* none: nowhere */
	assert_int_equal(at(t, OFF + 0x200, NULL), NONE);
	region_table_unref(t);

	r[1].scale = 4; /* an ordinary region from 0 on */
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

/* SYSV-10, C2: profil's scale 2 at offset 0 is no bin where the manual knows none. */
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

/* IRIX-28, IRIX-29, SYSV-16, SYSV-17. */
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

/* AIX-6 to AIX-14. */
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
	/* AIX-14: no scale tells all bytes apart */
	for (uint32_t scale = 1; scale <= 0xffff; scale++) {
		bool same = false;

		for (uint64_t d = 0; d < 3; d++)
			same |= one(CALL_AIX, 2, scale, 0x100, d) ==
				one(CALL_AIX, 2, scale, 0x100, d + 1);
		assert_true(same);
	}
}

/* AIX-12: scale 1 is a core clock. */
static void test_region__aix_scale_one_takes_all(void **state)
{
	(void)state;
	assert_int_equal(one(CALL_AIX, 2, 1, 2, 0), 0);
	assert_int_equal(one(CALL_AIX, 2, 1, 2, 0x7e0000000000), 0);
	assert_int_equal(one(CALL_AIX, 2, 1, 2, (uint64_t)-2), 0); /* below the offset */
	assert_int_equal(one(CALL_AIX, 2, 1, 1, 0), NONE);
	/* everywhere else scale 1 is off */
	assert_int_equal(one(CALL_IRIX, 2, 1, 2, 0), NONE);
	assert_int_equal(one(CALL_SYSV, 2, 1, 2, 0), NONE);
	assert_int_equal(one(CALL_GLIBC, 2, 1, 2, 0), NONE);
	assert_int_equal(one(CALL_HPUX, 2, 1, 2, 0), NONE);
	assert_int_equal(one(CALL_NATIVE, 2, 1, 2, 0), NONE);
}

/* AIX-16, AIX-20 and the end of CONFORMANCE 2.5. */
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

	/* a short buffer does not hand its addresses on */
	r[0].bytes = 2;
	t = table(CALL_AIX, 2, r, 2);
	assert_int_equal(at(t, 0x2800, NULL), NONE);
	region_table_unref(t);
	/* but a region that is off does */
	r[0].scale = 0;
	t = table(CALL_AIX, 2, r, 2);
	assert_int_not_equal(at(t, 0x2800, &region), NONE);
	assert_int_equal(region, 1);
	region_table_unref(t);
	/* the core clock of one range */
	r[0].scale = 1;
	t = table(CALL_AIX, 2, r, 2);
	assert_int_equal(at(t, 0x2800, &region), 0);
	assert_int_equal(region, 0);
	assert_int_equal(at(t, 0xfff, NULL), NONE);
	region_table_unref(t);
}

/* CONFORMANCE 2.5: the last address of each row. */
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

/* SYSV-2, SYSV-8: equal subdivisions. */
static void test_region__subdivisions_are_equal(void **state)
{
	(void)state;
	for (uint64_t d = 0; d < 4096; d++) {
		assert_int_equal(one(CALL_SYSV, 2, 0x4000, 0x1000, d), d / 8);
		assert_int_equal(one(CALL_SYSV, 2, 0x8000, 0x1000, d), d / 4);
	}
	for (uint64_t k = 0; k < 99; k++) { /* SYSV-9 */
		uint64_t index = one(CALL_SYSV, 2, 0xffff, 0x1000, 2 * k);

		assert_true(index == k || index + 1 == k);
	}
}

/* A region turned off is as if it were not there. */
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

	/* The first bin takes what a dead region had, though the second has room for it. */
	r[0] = (struct call_region){.base = 0x5000, .bytes = 8, .offset = 0, .scale = 2};
	r[1] = (struct call_region){.base = 0x6000, .bytes = 0x1000, .offset = 0, .scale = 2};
	r[2] = (struct call_region){.bytes = 0x100, .offset = OFF, .scale = 0x10000};
	t = table(CALL_GLIBC, 2, r, 3);
	dead = 4;
	assert_true(region_look_up(t, &dead, OFF, &hit));
	assert_int_equal(hit.region, 0);
	region_table_unref(t);

	/* What is left is of the same dialect: scale 1 takes all in AIX alone. */
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
	/* C21: a buffer to the last address, and one a byte longer; one that is not enabled */
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

static uint64_t seed = 20261121;

static uint64_t draw(uint64_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed % below;
}

/* CONFORMANCE 2.6, word for word: every region, every time. */
static uint64_t oracle(const struct call_region *r, uint32_t n, unsigned e, const uint8_t *dead,
	uint64_t pc, uint32_t *ret_region)
{
	uint32_t best = REGION_NONE, bin = REGION_NONE;
	uint64_t index = NONE;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t d = pc - r[i].offset;
		u128 idx = (u128)d * r[i].scale / (65536 * (u128)e);

		if (r[i].scale < 2 || r[i].bytes / e == 0)
			continue;
		if (r[i].offset == 0 && r[i].scale == 2) {
			if (bin == REGION_NONE && !(dead[i / 8] >> i % 8 & 1))
				bin = i;
			continue;
		}
		if (pc < r[i].offset || idx >= r[i].bytes / e || dead[i / 8] >> i % 8 & 1)
			continue;
		if (best == REGION_NONE || r[i].offset > r[best].offset) {
			best = i;
			index = (uint64_t)idx;
		}
	}
	*ret_region = best != REGION_NONE ? best : bin;
	return best != REGION_NONE ? index : bin != REGION_NONE ? 0 : NONE;
}

static struct call_region random_region(uint64_t from, uint64_t room)
{
	static const uint32_t scales[] = {
		0, 1, 2, 3, 0x1000, 0x4000, 0x7fff, 0x8000, 0xffff, 0x10000, 0x20000, 0x40000};

	return (struct call_region){.base = draw(1 << 20),
		.bytes = draw(4) ? draw(room / 4) : draw(9),
		.offset = from + draw(room),
		.scale = scales[draw(12)]};
}

/* Compares at the edges of every region and at random places. */
static void compare_layout(const struct call_region *r, uint32_t n, unsigned e, bool kill)
{
	struct region_table *t = table(CALL_IRIX, e, r, n);
	uint8_t dead[8] = {0};

	for (uint32_t i = 0; kill && i < n; i++)
		if (r[i].offset && draw(4) == 0)
			dead[i / 8] |= (uint8_t)(1 << i % 8);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t scale = r[i].scale ? r[i].scale : 1;
		uint64_t end = r[i].offset + (uint64_t)(((u128)r[i].bytes << 16) / scale);
		uint64_t places[] = {r[i].offset - 1, r[i].offset, r[i].offset + draw(4096),
			end - 1, end, end + 1, end - draw(2 * e), draw(UINT64_MAX)};

		for (unsigned k = 0; k < sizeof(places) / sizeof(places[0]); k++) {
			uint32_t region = REGION_NONE;
			struct region_hit hit = {.region = REGION_NONE, .index = NONE};
			uint64_t index = oracle(r, n, e, dead, places[k], &region);
			bool found = region_look_up(t, kill ? dead : NULL, places[k], &hit);

			assert_int_equal(found, index != NONE);
			assert_int_equal(hit.region, region);
			assert_int_equal(hit.index, index);
		}
	}
	region_table_unref(t);
}

static void test_region__random_layouts_match_the_oracle(void **state)
{
	struct call_region r[64];

	(void)state;
	for (unsigned layout = 0; layout < 10000; layout++) {
		uint32_t n = (uint32_t)(1 + draw(64));
		/* crowded ones, so that many overlap, and some at the end of the address space */
		uint64_t room = draw(2) ? 64 : 1 << 16;
		uint64_t from = draw(8) ? 0x10000 : UINT64_MAX - room - 16;

		for (uint32_t i = 0; i < n; i++)
			r[i] = random_region(from, room);
		if (draw(3) == 0)
			r[n - 1] = (struct call_region){.base = 8, .bytes = 8, .scale = 2};
		compare_layout(r, n, 2u << draw(3), layout % 2 != 0);
	}
}

/* A full table: each look-up takes steps in the order of log2 of it, not of its size. */
static void test_region__full_table(void **state)
{
	struct call_region *r = calloc(CALL_MAX_REGIONS, sizeof(*r));
	struct region_table *t;
	uint32_t region;

	(void)state;
	assert_non_null(r);
	for (uint32_t i = 0; i < CALL_MAX_REGIONS; i++) /* each reaches over the next ten */
		r[i] = (struct call_region){.base = i,
			.bytes = 160,
			.scale = 0x10000,
			.offset = OFF + 16 * (uint64_t)(CALL_MAX_REGIONS - 1 - i)};
	t = table(CALL_IRIX, 2, r, CALL_MAX_REGIONS);
	assert_true(t->spans <= 2 * CALL_MAX_REGIONS);
	for (uint32_t k = 0; k < 1000000; k++) {
		uint64_t d = draw(16 * (uint64_t)CALL_MAX_REGIONS);

		assert_int_equal(at(t, OFF + d, &region), d % 16 / 2);
		assert_int_equal(region, CALL_MAX_REGIONS - 1 - d / 16);
	}
	region_table_unref(t);
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_region__worked_examples),
		cmocka_unit_test(test_region__buffer_edge),
		cmocka_unit_test(test_region__wide_distances),
		cmocka_unit_test(test_region__hpux_tables),
		cmocka_unit_test(test_region__one_to_one),
		cmocka_unit_test(test_region__absurd_scale_stays_inside),
		cmocka_unit_test(test_region__scales_differ),
		cmocka_unit_test(test_region__greatest_offset_wins),
		cmocka_unit_test(test_region__first_of_equals_wins),
		cmocka_unit_test(test_region__several_at_address_0),
		cmocka_unit_test(test_region__overflow_bin),
		cmocka_unit_test(test_region__no_bin_where_unknown),
		cmocka_unit_test(test_region__disabled_does_not_shadow),
		cmocka_unit_test(test_region__aix_scale),
		cmocka_unit_test(test_region__aix_scale_one_takes_all),
		cmocka_unit_test(test_region__aix_scans_in_order),
		cmocka_unit_test(test_region__aix_computed_scales),
		cmocka_unit_test(test_region__subdivisions_are_equal),
		cmocka_unit_test(test_region__dead_region_is_absent),
		cmocka_unit_test(test_region__refuses_nonsense),
		cmocka_unit_test(test_region__random_layouts_match_the_oracle),
		cmocka_unit_test(test_region__full_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
