/* SPDX-License-Identifier: MIT */
/* The HP-UX dialect on a live target. The clause of each test stands in docs/CONFORMANCE.md. */
#include <time.h>

#include "tests/calls/live.h"

#include <sys/mman.h>
#include <unistd.h>

_Static_assert(offsetof(struct prof, pr_base) == 0 && offsetof(struct prof, pr_size) == 8 &&
		offsetof(struct prof, pr_offset) == 16 && offsetof(struct prof, pr_scale) == 24,
	"HPS-1");

static void off(void)
{
	assert_int_equal(sprofil(NULL, 0, NULL, 0), 0);
}

static struct prof region(void *base, size_t size, uint64_t at, unsigned scale)
{
	return (struct prof){base, (unsigned)size, (void *)(uintptr_t)at, scale};
}

static uint64_t get(const void *counts, size_t index, size_t width)
{
	uint64_t v = 0;

	memcpy(&v, (const uint8_t *)counts + index * width, width);
	return v;
}

static void put(void *counts, size_t index, size_t width, uint64_t v)
{
	memcpy((uint8_t *)counts + index * width, &v, width);
}

static const struct {
	unsigned flag, scale; /* scale: four bytes of text per counter */
	size_t width;
	uint64_t before; /* initial value: the largest of the next narrower width */
} widths[] = {{PROF_USHORT, 0x8000, 2, UINT8_MAX}, {PROF_UINT, 0x10000, 4, UINT16_MAX},
	{PROF_UINT64, 0x20000, 8, UINT32_MAX}};

/* Tests clauses HPUX-1, HPUX-1b of docs/CONFORMANCE.md. */
static void test_live_hpux__full_counters_stay_full(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		size_t w = widths[i].width;
		uint64_t max = UINT64_MAX >> (64 - 8 * w), cpu;
		uint8_t counts[64] = {0}, bin[8];
		struct prof p[2] = {
			region(counts, 4 * w, LIVE_A, widths[i].scale), region(bin, w, 0, 2)};

		put(counts, 0, w, max - 1);
		put(bin, 0, w, max - 1);
		assert_int_equal(sprofil(p, 2, NULL, widths[i].flag), 0);
		(void)live_spin(LIVE_C, 0.1);
		assert_true(get(bin, 0, w) == max);
		(void)live_spin(LIVE_A, 0.1);
		assert_true(get(counts, 0, w) == max);
		cpu = live_spin(LIVE_A + 4, LIVE_SHORT);
		off();
		live_about(get(counts, 1, w), cpu, LIVE_TICK_NS);
		assert_true(get(bin, 0, w) == max);
		assert_true(get(counts, 2, w) == 0 && get(counts, 3, w) == 0);
	}
}

/* Tests clauses HPUX-2, HPS-2 of docs/CONFORMANCE.md. */
static void test_live_hpux__on_off_on(void **state)
{
	unsigned short a[4] = {0}, b[4] = {0};
	struct prof p = region(a, 8, LIVE_A, 0x8000), q = region(b, 8, LIVE_B, 0x8000);
	uint64_t cpu;

	(void)state;
	assert_int_equal(sprofil(&p, 1, NULL, PROF_USHORT), 0);
	cpu = live_spin(LIVE_A, LIVE_SHORT);
	assert_int_equal(sprofil(&q, 1, NULL, PROF_USHORT), 0);
	live_about(a[0], cpu, LIVE_TICK_NS);
	cpu = a[0];
	(void)live_spin(LIVE_A, LIVE_SHORT);
	assert_int_equal(a[0], cpu);
	for (unsigned i = 0; i < 4; i++) {
		unsigned before = b[0];

		assert_int_equal(sprofil(&q, 1, NULL, PROF_USHORT), 0);
		cpu = live_spin(LIVE_B, LIVE_SHORT);
		off();
		live_about(b[0] - before, cpu, LIVE_TICK_NS);
		before = b[0];
		(void)live_spin(LIVE_B, 0.1);
		assert_int_equal(b[0], before);
		off();
	}
}

/* Tests clauses HPUX-7, HPUX-8 of docs/CONFORMANCE.md. */
static void test_live_hpux__wider_counters_count_on(void **state)
{
	unsigned *u = live_buffer(4000, MAP_PRIVATE);
	uint64_t *w = live_buffer(8000, MAP_PRIVATE);
	struct prof p = region(u, 4000, LIVE_A, 0x10000), q = region(w, 8000, LIVE_A, 0x20000);
	uint64_t cpu;

	(void)state;
	u[999] = 65535;
	assert_int_equal(sprofil(&p, 1, NULL, PROF_UINT), 0);
	cpu = live_spin(LIVE_A + 4 * 999, LIVE_SHORT);
	live_about(u[999] - 65535, cpu, LIVE_TICK_NS);
	w[999] = UINT32_MAX;
	assert_int_equal(sprofil(&q, 1, NULL, PROF_UINT64), 0);
	cpu = live_spin(LIVE_A + 4 * 999, LIVE_SHORT);
	off();
	live_about(w[999] - UINT32_MAX, cpu, LIVE_TICK_NS);
	live_check_buffer(u, 4000);
	live_check_buffer(w, 8000);
}

/* HPUX-9: several counters per instruction: counts are undefined, but stay inside the buffer. */
static void test_live_hpux__absurd_scales_stay_inside(void **state)
{
	unsigned short *a = live_buffer(32, MAP_PRIVATE);
	static const unsigned scales[] = {65536, 131072, UINT32_MAX};

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct prof p = region(a, 32, LIVE_A, scales[i]);

		assert_int_equal(sprofil(&p, 1, NULL, PROF_USHORT), 0);
		(void)live_spin(LIVE_A, 0.05);
		(void)live_spin(LIVE_A + 1, 0.05);
		(void)live_spin(LIVE_A + 64, 0.05);
		live_check_buffer(a, 32);
	}
	off();
}

/* Tests clauses HPUX-10, HPUX-11, HPS-4 of docs/CONFORMANCE.md. */
static void test_live_hpux__overlap(void **state)
{
	unsigned short a[0x800] = {0}, b[0x100] = {0}, c[0x800] = {0};
	struct prof p[3] = {region(a, sizeof(a), LIVE_A, 0x10000),
		region(b, sizeof(b), LIVE_A + 0x400, 0x10000),
		region(c, sizeof(c), LIVE_A, 0x10000)};
	uint64_t cpu;

	(void)state;
	assert_int_equal(sprofil(p, 3, NULL, PROF_USHORT), 0);
	cpu = live_spin(LIVE_A + 0x500, LIVE_SHORT);
	live_about(b[0x80], cpu, LIVE_TICK_NS);
	cpu = live_spin(LIVE_A + 0x100, LIVE_SHORT);
	live_about(a[0x80], cpu, LIVE_TICK_NS);
	cpu = live_spin(LIVE_A + 0x700, LIVE_SHORT);
	live_about(a[0x380], cpu, LIVE_TICK_NS);
	off();
	for (unsigned i = 0; i < 0x800; i++)
		assert_true(c[i] == 0 && (a[i] == 0 || i == 0x80 || i == 0x380));
}

/* Tests clauses HPUX-12, HPUX-12b, HPUX-12c of docs/CONFORMANCE.md. */
static void test_live_hpux__overflow_bin(void **state)
{
	unsigned a[0x40] = {0}, ov = 0, before;
	struct prof p[2] = {region(a, sizeof(a), LIVE_A, 0x10000), region(&ov, 4, 0, 2)};
	uint64_t in, out;

	(void)state;
	assert_int_equal(sprofil(p, 2, NULL, PROF_UINT), 0);
	out = live_spin(LIVE_C, LIVE_SHORT);
	live_about(ov, out, LIVE_TICK_NS);
	before = ov;
	out = live_spin(LIVE_A + 0x200, 0.1);
	in = live_spin(LIVE_A, LIVE_SHORT);
	off();
	live_about(ov - before, out, LIVE_TICK_NS);
	live_about(a[0], in, LIVE_TICK_NS);
	/* Without a bin, a tick outside of the regions is not counted. */
	memset(a, 0, sizeof(a));
	assert_int_equal(sprofil(p, 1, NULL, PROF_UINT), 0);
	(void)live_spin(LIVE_C, 0.1);
	(void)live_spin(LIVE_A + 0x200, 0.1);
	off();
	for (unsigned i = 0; i < 0x40; i++)
		assert_int_equal(a[i], 0);
	/* With scale 4 or an offset other than 0, the second entry is no bin. */
	p[1].pr_scale = 4;
	ov = 0;
	assert_int_equal(sprofil(p, 2, NULL, PROF_UINT), 0);
	(void)live_spin(LIVE_C, 0.1);
	p[1] = region(&ov, 4, 1, 2);
	assert_int_equal(sprofil(p, 2, NULL, PROF_UINT), 0);
	(void)live_spin(LIVE_C, 0.1);
	off();
	assert_int_equal(ov, 0);
}

/* Tests clause C22 of docs/CONFORMANCE.md. */
static void test_live_hpux__bin_of_several_counters(void **state)
{
	unsigned a[4] = {0}, *bin = live_buffer(16, MAP_PRIVATE);
	struct prof p[2] = {region(a, sizeof(a), LIVE_A, 0x10000), region(bin, 16, 0, 2)};
	unsigned before;
	uint64_t cpu;

	(void)state;
	bin[1] = 4711;
	assert_int_equal(sprofil(p, 2, NULL, PROF_UINT), 0);
	cpu = live_spin(LIVE_C, LIVE_SHORT);
	before = bin[0];
	live_about(before, cpu, LIVE_TICK_NS);
	cpu = live_spin(UINT64_C(0x20000), 0.1);
	off();
	live_about(bin[0] - before, cpu, LIVE_TICK_NS);
	assert_int_equal(bin[1], 4711);
	assert_int_equal(bin[2] + bin[3], 0);
	assert_int_equal(a[0] + a[1] + a[2] + a[3], 0);
	live_check_buffer(bin, 16);
}

/* Tests clause HPUX-14 of docs/CONFORMANCE.md. */
static void test_live_hpux__widths(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		size_t w = widths[i].width, bytes = 3 * w;
		uint8_t *counts = live_buffer(bytes, MAP_PRIVATE);
		struct prof p = region(counts, bytes, LIVE_A, widths[i].scale);
		uint64_t cpu;

		memset(counts, 0xaa, bytes);
		put(counts, 1, w, widths[i].before);
		assert_int_equal(sprofil(&p, 1, NULL, widths[i].flag), 0);
		cpu = live_spin(LIVE_A + 4, LIVE_SHORT);
		off();
		live_about(get(counts, 1, w) - widths[i].before, cpu, LIVE_TICK_NS);
		for (size_t k = 0; k < w; k++)
			assert_true(counts[k] == 0xaa && counts[2 * w + k] == 0xaa);
		live_check_buffer(counts, bytes);
	}
}

/* Tests clauses HPUX-13, HPS-3, HPS-5, HPS-6, HPS-9, HPS-10, HPS-11 of docs/CONFORMANCE.md. */
static void test_live_hpux__errors(void **state)
{
	unsigned a[4] = {0};
	struct prof r = region(a, 16, LIVE_A, 0x10000), bin = region(a, 4, 0, 2);
	struct prof wrong[2] = {bin, r};
	struct prof far = region(a, 16, LIVE_A, 0x10000);

	(void)state;
	assert_int_equal(live_errno(sprofil(&r, -1, NULL, PROF_UINT)), E2BIG);
	assert_int_equal(
		live_errno(sprofil(&r, (int)sysconf(_SC_PROFIL_MAX) + 1, NULL, PROF_UINT)), E2BIG);
	assert_int_equal(live_errno(sprofil(&r, 1, NULL, 0)), EINVAL);
	assert_int_equal(live_errno(sprofil(&r, 1, NULL, PROF_UINT | PROF_USHORT)), EINVAL);
	assert_int_equal(live_errno(sprofil(&r, 1, NULL, PROF_UINT | PROF_UINT64)), EINVAL);
	assert_int_equal(live_errno(sprofil(&r, 1, NULL, PROF_USHORT | PROF_UINT64)), EINVAL);
	assert_int_equal(live_errno(sprofil(&r, 1, NULL, PROF_UINT | 4)), EINVAL);
	assert_int_equal(live_errno(sprofil((void *)8, 1, NULL, PROF_UINT)), EFAULT);
	assert_int_equal(live_errno(sprofil(&r, 1, (void *)8, PROF_UINT)), EFAULT);
	assert_int_equal(live_errno(sprofil(wrong, 2, NULL, PROF_UINT)), EINVAL);
	r.pr_size = 0;
	assert_int_equal(live_errno(sprofil(&r, 1, NULL, PROF_UINT)), EINVAL);
	r.pr_size = 15;
	assert_int_equal(live_errno(sprofil(&r, 1, NULL, PROF_UINT)), EINVAL);
	/* Scale 2: 2^31 bytes of counters for 2^46 bytes of text, the most possible. */
	far.pr_scale = 2;
	far.pr_size = UINT32_C(0x80000000);
	assert_int_equal(sprofil(&far, 1, NULL, PROF_UINT), 0);
	far.pr_size += 4;
	assert_int_equal(live_errno(sprofil(&far, 1, NULL, PROF_UINT)), EINVAL);
	off();
}

/*
 * C9, C22: page 2 of the manual allows overlap, any order and a bin of several counters. Page 3
 * does not; SPROFIL_STRICT selects page 3.
 */
static void test_live_hpux__strict_order_on_request(void **state)
{
	unsigned a[4] = {0};
	struct prof overlap[2] = {
		region(a, 16, LIVE_A, 0x10000), region(a, 16, LIVE_A + 8, 0x10000)};
	struct prof touching[2] = {
		region(a, 16, LIVE_A, 0x10000), region(a, 16, LIVE_A + 16, 0x10000)};
	struct prof unsorted[2] = {region(a, 16, LIVE_B, 0x10000), region(a, 16, LIVE_A, 0x10000)};
	struct prof good[2] = {region(a, 16, LIVE_A, 0x10000), region(a, 4, 0, 2)};
	struct prof wide[2] = {region(a, 16, LIVE_A, 0x10000), region(a, 8, 0, 2)};
	/* 4 * 65536 / 3 = 87381 1/3 bytes of text: a counter covers the address at 87381, too. */
	struct prof by_one[2] = {region(a, 4, LIVE_A, 3), region(a, 4, LIVE_A + 87381, 0x10000)};

	(void)state;
	assert_int_equal(sprofil(overlap, 2, NULL, PROF_UINT), 0);
	assert_int_equal(sprofil(unsorted, 2, NULL, PROF_UINT), 0);
	assert_int_equal(sprofil(wide, 2, NULL, PROF_UINT), 0);
	assert_int_equal(setenv("SPROFIL_STRICT", "1", 1), 0);
	assert_int_equal(live_errno(sprofil(overlap, 2, NULL, PROF_UINT)), EINVAL);
	assert_int_equal(sprofil(touching, 2, NULL, PROF_UINT), 0);
	assert_int_equal(live_errno(sprofil(unsorted, 2, NULL, PROF_UINT)), EINVAL);
	assert_int_equal(sprofil(good, 2, NULL, PROF_UINT), 0);
	assert_int_equal(live_errno(sprofil(wide, 2, NULL, PROF_UINT)), EINVAL);
	assert_int_equal(live_errno(sprofil(by_one, 2, NULL, PROF_UINT)), EINVAL);
	by_one[1] = region(a, 4, LIVE_A + 87382, 0x10000);
	assert_int_equal(sprofil(by_one, 2, NULL, PROF_UINT), 0);
	/* A region that reaches the last address, so that no region can follow. */
	by_one[0] = region(a, 4, (uint64_t)-8, 2);
	by_one[1] = region(a, 4, LIVE_A, 0x10000);
	assert_int_equal(live_errno(sprofil(by_one, 2, NULL, PROF_UINT)), EINVAL);
	assert_int_equal(unsetenv("SPROFIL_STRICT"), 0);
	off();
}

/* HPS-8, C7: profil() never complains. */
static void test_live_hpux__profil_is_one_entry(void **state)
{
	unsigned short *a = live_buffer(31, MAP_PRIVATE);
	uint64_t cpu;

	(void)state;
	assert_int_equal(profil(a, 31, (size_t)LIVE_A, 0x8000), 0);
	cpu = live_spin(LIVE_A + 4 * 14, LIVE_SHORT);
	/* Half a counter at the buffer's end counts nothing. */
	(void)live_spin(LIVE_A + 4 * 15, 0.1);
	live_about(get(a, 14, 2), cpu, LIVE_TICK_NS);
	live_check_buffer(a, 31);
	assert_int_equal(profil(a, 0, (size_t)LIVE_A, 0x8000), 0);
	assert_int_equal(profil(a, 31, 0, 2), 0);
	cpu = live_spin(LIVE_C, LIVE_SHORT);
	off();
	live_about(get(a, 0, 2), cpu, LIVE_TICK_NS);
}

static void test_live_hpux__sysconf(void **state)
{
	(void)state;
	assert_int_equal(sysconf(_SC_PROFIL_MAX), 65536);
	assert_true(sysconf(_SC_PAGESIZE) >= 4096);
	assert_true(time(NULL) > 0); /* the dialect's <time.h> includes the system's */
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_hpux__full_counters_stay_full),
		cmocka_unit_test(test_live_hpux__on_off_on),
		cmocka_unit_test(test_live_hpux__wider_counters_count_on),
		cmocka_unit_test(test_live_hpux__absurd_scales_stay_inside),
		cmocka_unit_test(test_live_hpux__overlap),
		cmocka_unit_test(test_live_hpux__overflow_bin),
		cmocka_unit_test(test_live_hpux__bin_of_several_counters),
		cmocka_unit_test(test_live_hpux__widths),
		cmocka_unit_test(test_live_hpux__errors),
		cmocka_unit_test(test_live_hpux__strict_order_on_request),
		cmocka_unit_test(test_live_hpux__profil_is_one_entry),
		cmocka_unit_test(test_live_hpux__sysconf),
	};

	return live_run(tests);
}
