/* SPDX-License-Identifier: MIT */
/* The System V dialect on a live target. The clause of each test stands in docs/CONFORMANCE.md. */
#include <unistd.h>

#include "tests/calls/live.h"

#include <sys/mman.h>

static void (*const as_declared)(unsigned short *, size_t, size_t, unsigned) = profil;

static void off(void)
{
	profil(NULL, 0, 0, 0);
}

static uint64_t sum(const unsigned short *counts, size_t n)
{
	uint64_t s = 0;

	for (size_t i = 0; i < n; i++)
		s += counts[i];
	return s;
}

/* Tests clauses SYSV-1, SYSV-3, SYSV-6, SYSV-11, SYSV-12, SYSV-13, SYSV-15 of CONFORMANCE.md. */
static void test_live_sysv__counts_the_cell(void **state)
{
	unsigned short *counts = live_buffer(0x400, MAP_PRIVATE);
	uint64_t cpu, last;

	(void)state;
	as_declared(counts, 0x400, (size_t)LIVE_A, 0x4000);
	cpu = live_spin(LIVE_A + 15, 1.0);
	live_about(counts[1], cpu, LIVE_TICK_NS);
	assert_int_equal(sum(counts, 512), counts[1]);
	last = live_spin(LIVE_A + 0xfff, LIVE_SHORT);
	(void)live_spin(LIVE_A + 0x1000, 0.1);
	(void)live_spin(LIVE_A - 1, 0.1);
	off();
	live_about(counts[511], last, LIVE_TICK_NS);
	assert_int_equal(sum(counts, 512), counts[1] + counts[511]);
	live_check_buffer(counts, 0x400);
}

/* Tests clauses SYSV-4, SYSV-5 of docs/CONFORMANCE.md. */
static void test_live_sysv__stops_at_32767(void **state)
{
	unsigned short counts[16] = {0};
	uint64_t cpu;

	(void)state;
	counts[0] = 32765;
	profil(counts, sizeof(counts), (size_t)LIVE_A, 0x8000);
	(void)live_spin(LIVE_A, 0.1);
	assert_int_equal(counts[0], 32767);
	(void)live_spin(LIVE_A + 4, LIVE_SHORT);
	assert_int_equal(counts[1], 0);
	counts[0] = 0;
	profil(counts, sizeof(counts), (size_t)LIVE_A, 0x8000);
	cpu = live_spin(LIVE_A + 4, LIVE_SHORT);
	live_about(counts[1], cpu, LIVE_TICK_NS);
	/* A counter set above 32767 is not taken for a negative number. */
	counts[2] = 40000;
	(void)live_spin(LIVE_A + 8, 0.1);
	off();
	assert_int_equal(counts[2], 40000);
}

/* SYSV-10, C2: scale 2 is no overflow bin */
static void test_live_sysv__smallest_scale(void **state)
{
	unsigned short *counts = live_buffer(4, MAP_PRIVATE);
	uint64_t cpu;

	(void)state;
	profil(counts, 4, (size_t)LIVE_A, 2);
	cpu = live_spin(LIVE_A + 65536, LIVE_SHORT);
	(void)live_spin(LIVE_A + 131072, 0.1);
	live_about(counts[1], cpu, LIVE_TICK_NS);
	assert_int_equal(counts[0], 0);
	memset(counts, 0, 4);
	profil(counts, 4, 0, 2);
	(void)live_spin(LIVE_C, 0.1);
	off();
	assert_int_equal(sum(counts, 2), 0);
	live_check_buffer(counts, 4);
}

/* Tests clauses SYSV-16, SYSV-17 of docs/CONFORMANCE.md. */
static void test_live_sysv__off_and_ineffective(void **state)
{
	unsigned short counts[4] = {0};
	uint64_t cpu, before;

	(void)state;
	for (unsigned scale = 0; scale < 2; scale++) {
		memset(counts, 0, sizeof(counts));
		profil(counts, 8, (size_t)LIVE_A, 0x8000);
		cpu = live_spin(LIVE_A, LIVE_SHORT);
		profil(counts, 8, (size_t)LIVE_A, scale);
		live_about(counts[0], cpu, LIVE_TICK_NS);
		before = counts[0];
		(void)live_spin(LIVE_A, 0.1);
		assert_int_equal(counts[0], before);
	}
	profil(counts, 0, (size_t)LIVE_A, 2);
	(void)live_spin(LIVE_A, 0.1);
	off();
	assert_int_equal(counts[0], before);
}

/* Tests clause SYSV-20 of docs/CONFORMANCE.md. */
static void test_live_sysv__fault_stops_everything(void **state)
{
	unsigned short *a = live_buffer(4096, MAP_PRIVATE);
	uint64_t cpu;

	(void)state;
	profil(a, 4096, (size_t)LIVE_A, 0x8000);
	assert_int_equal(mprotect(a, 4096, PROT_READ), 0);
	(void)live_spin(LIVE_A, 0.1);
	assert_int_equal(mprotect(a, 4096, PROT_READ | PROT_WRITE), 0);
	(void)live_spin(LIVE_A, 0.1);
	assert_int_equal(sum(a, 2048), 0);
	profil(a, 4096, (size_t)LIVE_A, 0x8000);
	cpu = live_spin(LIVE_A, LIVE_SHORT);
	off();
	assert_true(a[0] > 0);
	live_about(a[0], cpu, LIVE_TICK_NS);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_sysv__counts_the_cell),
		cmocka_unit_test(test_live_sysv__stops_at_32767),
		cmocka_unit_test(test_live_sysv__smallest_scale),
		cmocka_unit_test(test_live_sysv__off_and_ineffective),
		cmocka_unit_test(test_live_sysv__fault_stops_everything),
	};

	return live_run(tests);
}
