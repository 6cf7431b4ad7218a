/* SPDX-License-Identifier: MIT */
/* The counter of a program counter in one region, for all scales and sizes of counters. */
#include "tests/unit/supervisor/region_fixture.h"

/* The examples of docs/CONFORMANCE.md, section 2.3. */
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
	/* A partial counter at the end is not usable. */
	assert_int_equal(one(CALL_IRIX, 2, 0x10000, 5, 3), 1);
	assert_int_equal(one(CALL_IRIX, 2, 0x10000, 5, 4), NONE);
	assert_int_equal(one(CALL_IRIX, 2, 0x10000, 1, 0), NONE);
	assert_int_equal(one(CALL_IRIX, 2, 0x10000, 0, 0), NONE);
	/* A region includes its start, and no address below. */
	assert_int_equal(one(CALL_IRIX, 2, 0x10000, 0x1000, 0), 0);
	assert_int_equal(one(CALL_IRIX, 2, 0x10000, 0x1000, (uint64_t)-1), NONE);
	assert_int_equal(one(CALL_IRIX, 2, 0x10000, 0x1000, (uint64_t)-2), NONE);
	/* SYSV-15: 512 counters, each for 8 bytes of text, cover 0x1000 bytes, and no more. */
	assert_int_equal(one(CALL_SYSV, 2, 0x4000, 0x400, 0xfff), 511);
	assert_int_equal(one(CALL_SYSV, 2, 0x4000, 0x400, 0x1000), NONE);
	assert_int_equal(one(CALL_SYSV, 2, 2, 2, 65536), NONE);
}

/* CONFORMANCE 2.2: distances that need more than 32 bits, and products of more than 64. */
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
	/* A region that would end beyond the address space ends with it. */
	assert_int_equal(one(CALL_NATIVE, 8, 2, UINT64_MAX - 0xffff, UINT64_MAX - OFF),
		(UINT64_MAX - OFF) >> 18);
	assert_int_equal(one(CALL_NATIVE, 8, 2, UINT64_MAX - 0xffff, (uint64_t)-1), NONE);
}

/* Checks that each of the first three counters covers @expected instructions of @insn bytes. */
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
	/* The slots of an IA-64 bundle have one counter. */
	for (uint64_t k = 0; insn == 16 && k < 3 * (uint64_t)expected; k++)
		for (unsigned slot = 1; slot < 3; slot++)
			assert_int_equal(
				at(t, OFF + 16 * k + slot, NULL), at(t, OFF + 16 * k, NULL));
	region_table_unref(t);
}

/*
 * Tables of the HP-UX manual page. 0 stands for its "0.5" and "0.25", which it calls undefined:
 * only the buffer's bounds are checked.
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

/* HPUX-7, HPUX-8, IRIX-13, IRIX-14: scales with a counter for each instruction. */
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

/* HPUX-9: a ratio below one instruction is undefined, but stays inside the buffer. */
static void test_region__absurd_scale_stays_inside(void **state)
{
	(void)state;
	for (uint64_t d = 0; d < 64; d++) {
		uint64_t index = one(CALL_HPUX, 2, UINT32_MAX, 64, d);

		assert_true(index == NONE || index < 32);
	}
}

/* SYSV-2, SYSV-8: a scale divides the text into equal parts, one for each counter. */
static void test_region__subdivisions_are_equal(void **state)
{
	(void)state;
	for (uint64_t d = 0; d < 4096; d++) {
		assert_int_equal(one(CALL_SYSV, 2, 0x4000, 0x1000, d), d / 8);
		assert_int_equal(one(CALL_SYSV, 2, 0x8000, 0x1000, d), d / 4);
	}
	for (uint64_t k = 0; k < 99; k++) { /* SYSV-9: scale 0xffff */
		uint64_t index = one(CALL_SYSV, 2, 0xffff, 0x1000, 2 * k);

		assert_true(index == k || index + 1 == k);
	}
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
		cmocka_unit_test(test_region__subdivisions_are_equal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
