/* SPDX-License-Identifier: MIT */
/* The AIX dialect on a live target. The clause of each test stands in docs/CONFORMANCE.md. */
#include <mon.h>

#include "client/include/sprofil/status.h"
#include "tests/calls/live.h"

#include <limits.h>
#include <sys/mman.h>
#include <unistd.h>

#define SPIN 0.3 /* seconds of CPU with some 18 ticks */

_Static_assert(offsetof(struct prof, p_low) == 0 &&
		offsetof(struct prof, p_low) < offsetof(struct prof, p_high) &&
		offsetof(struct prof, p_high) < offsetof(struct prof, p_buff) &&
		offsetof(struct prof, p_buff) < offsetof(struct prof, p_bufsize) &&
		offsetof(struct prof, p_bufsize) < offsetof(struct prof, p_scale),
	"AIX-17");
_Static_assert(sizeof(((struct prof *)0)->p_high) == sizeof(void *), "AIX-17");

/* AIX-26: profil() has the manual's type */
static void (*const as_declared)(void *, size_t, size_t, unsigned) = profil;

static void off(void)
{
	short nothing = 0;

	profil(&nothing, sizeof(nothing), 0, 0);
}

static unsigned count(const short *counts, size_t i)
{
	return (unsigned short)counts[i];
}

static uint64_t sum(const short *counts, size_t n)
{
	uint64_t s = 0;

	for (size_t i = 0; i < n; i++)
		s += count(counts, i);
	return s;
}

/* Tests clauses AIX-1, AIX-2, AIX-4, AIX-5, AIX-8, AIX-9, AIX-26 of docs/CONFORMANCE.md. */
static void test_live_aix__sixty_times_a_second(void **state)
{
	short *counts = live_buffer(16, MAP_PRIVATE);
	uint64_t cpu;

	(void)state;
	as_declared(counts, 16, (size_t)LIVE_A, 0x00058000);
	cpu = live_spin(LIVE_A + 8, 2.0);
	off();
	live_about(count(counts, 2), cpu, LIVE_AIX_TICK_NS);
	assert_int_equal(sum(counts, 8), count(counts, 2));
	live_check_buffer(counts, 16);
}

/* Tests clauses AIX-6, AIX-7 of docs/CONFORMANCE.md. */
static void test_live_aix__end_of_the_buffer(void **state)
{
	/*
	 * A histogram of only 5 of the 9 bytes: a count past its end changes the bytes behind it.
	 * At the page's end, it would be a fault.
	 */
	uint8_t *bytes = live_buffer(9, MAP_PRIVATE);
	uint64_t cpu;
	short first;

	(void)state;
	memset(bytes + 4, 0x77, 5);
	profil(bytes, 5, (size_t)LIVE_A, 0xffff);
	cpu = live_spin(LIVE_A, SPIN);
	(void)live_spin(LIVE_A + 6, 0.1);
	off();
	memcpy(&first, bytes, 2);
	live_about((unsigned short)first, cpu, LIVE_AIX_TICK_NS);
	for (unsigned i = 4; i < 9; i++)
		assert_int_equal(bytes[i], 0x77);
	assert_int_equal(bytes[2] + bytes[3], 0);
	profil(bytes, 1, (size_t)LIVE_A, 0xffff);
	memset(bytes, 0, 9);
	(void)live_spin(LIVE_A, 0.1);
	off();
	assert_int_equal(bytes[0] + bytes[1], 0);
	live_check_buffer(bytes, 9);
}

/* Tests clause AIX-12 of docs/CONFORMANCE.md. */
static void test_live_aix__core_clock(void **state)
{
	short *one = live_buffer(2, MAP_PRIVATE);
	unsigned before;
	uint64_t cpu;

	(void)state;
	profil(one, 2, 0, 1);
	cpu = live_spin(LIVE_A, SPIN);
	before = count(one, 0);
	live_about(before, cpu, LIVE_AIX_TICK_NS);
	cpu = live_spin(LIVE_C, SPIN);
	live_about(count(one, 0) - before, cpu, LIVE_AIX_TICK_NS);
	before = count(one, 0);
	profil(one, 2, (size_t)LIVE_C, 0x10001);
	cpu = live_spin(LIVE_A, SPIN);
	off();
	live_about(count(one, 0) - before, cpu, LIVE_AIX_TICK_NS);
	live_check_buffer(one, 2);
}

/* Tests clauses AIX-13, AIX-24, AIX-9 of docs/CONFORMANCE.md. */
static void test_live_aix__off_and_ineffective(void **state)
{
	short counts[4] = {0};
	static const unsigned scales[] = {0, 0x10000, 0x20000};
	uint64_t cpu, before;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		memset(counts, 0, sizeof(counts));
		profil(counts, 8, (size_t)LIVE_A, 0x8000);
		cpu = live_spin(LIVE_A, SPIN);
		live_about(count(counts, 0), cpu, LIVE_AIX_TICK_NS);
		profil(counts, 8, (size_t)LIVE_A, scales[i]);
		before = count(counts, 0);
		(void)live_spin(LIVE_A, 0.1);
		assert_int_equal(count(counts, 0), before);
	}
	profil(counts, 0, (size_t)LIVE_A, 0x8000);
	(void)live_spin(LIVE_A, 0.1);
	assert_int_equal(count(counts, 0), before);
	profil(counts, 8, (size_t)LIVE_A, 0x8000);
	cpu = live_spin(LIVE_A, SPIN);
	off();
	live_about(count(counts, 0) - before, cpu, LIVE_AIX_TICK_NS);
}

/* Tests clauses AIX-3, AIX-15, AIX-16, AIX-18, AIX-19, AIX-21 of docs/CONFORMANCE.md. */
static void test_live_aix__array_of_structures(void **state)
{
	short a[0x400] = {0}, b[16] = {0}, c[16] = {0}, d[16] = {0};
	struct prof table[7] = {
		{LIVE_A, LIVE_A + 0x1000, a, 0x800, -1},
		{LIVE_B, LIVE_B + 32, b, 32, 0x18000},
		{LIVE_B + 0x1000, LIVE_B + 0x2000, d, 32, 0},
		{LIVE_C, LIVE_C + 4096, c, 32, 1},
		{0, 0, NULL, 0, 0},
		{LIVE_B, LIVE_B + 4096, d, 32, -1},
		{0, 0, NULL, 0, 0},
	};
	struct prof *last = live_buffer(5 * sizeof(*last), MAP_PRIVATE);
	uint64_t cpu;

	(void)state;
	memcpy(last, table, 5 * sizeof(*last)); /* nothing after the terminating entry is read */
	for (unsigned form = 0; form < 3; form++) {
		memset(a, 0, sizeof(a));
		memset(b, 0, sizeof(b));
		memset(c, 0, sizeof(c));
		if (form == 0)
			profil(last, -1, 0, 0);
		else if (form == 1)
			profil(table, 0xffffffffu, 0xdeadbeef, 0x1234);
		else
			profil(table, (size_t)-1, 0xdeadbeef, 0x1234);
		cpu = live_spin(LIVE_A + 0xfff, SPIN);
		live_about(count(a, 1023), cpu, LIVE_AIX_TICK_NS);
		cpu = live_spin(LIVE_B + 8, SPIN);
		live_about(count(b, 2), cpu, LIVE_AIX_TICK_NS);
		(void)live_spin(LIVE_B + 0x1000, 0.05);
		cpu = live_spin(LIVE_C + 4000, SPIN);
		live_about(count(c, 0), cpu, LIVE_AIX_TICK_NS);
		(void)live_spin(LIVE_C + 4096, 0.05);
		off();
		assert_int_equal(sum(d, 16), 0);
		assert_int_equal(sum(a, 1024) + sum(b, 16) + sum(c, 16),
			count(a, 1023) + count(b, 2) + count(c, 0));
	}
	/* An array whose first entry is the terminator turns the table in force off. */
	profil(table + 5, -1, 0, 0);
	profil(table + 4, -1, 0, 0);
	(void)live_spin(LIVE_B, 0.1);
	off();
	assert_int_equal(sum(d, 16), 0);
	/* 0xfffffffe is the size of a buffer, not the mark of an array. */
	memset(b, 0, sizeof(b));
	profil(b, 0xfffffffe, (size_t)LIVE_A, 0x8000);
	cpu = live_spin(LIVE_A + 8, SPIN);
	off();
	live_about(count(b, 2), cpu, LIVE_AIX_TICK_NS);
}

/* Tests clause AIX-20 of docs/CONFORMANCE.md. */
static void test_live_aix__array_must_ascend(void **state)
{
	short a[16] = {0}, b[16] = {0};
	struct prof table[3] = {{LIVE_B, LIVE_B + 32, b, 32, 0x8000},
		{LIVE_A, LIVE_A + 32, a, 32, 0x8000}, {0, 0, NULL, 0, 0}};

	(void)state;
	errno = 0;
	profil(table, -1, 0, 0);
	assert_int_equal(errno, EINVAL);
	(void)live_spin(LIVE_B, 0.1);
	(void)live_spin(LIVE_A, 0.1);
	assert_int_equal(sum(a, 16) + sum(b, 16), 0);
	errno = 0;
	profil((void *)8, -1, 0, 0);
	assert_int_equal(errno, EFAULT);
}

/* Tests clause AIX-23 of docs/CONFORMANCE.md. */
static void test_live_aix__fault_stops_everything(void **state)
{
	short *a = live_buffer(4096, MAP_PRIVATE), b[16] = {0};
	struct prof table[3] = {{LIVE_A, LIVE_A + 32, a, 32, 0x8000},
		{LIVE_B, LIVE_B + 32, b, 32, 0x8000}, {0, 0, NULL, 0, 0}};

	(void)state;
	profil(table, -1, 0, 0);
	assert_int_equal(mprotect(a, 4096, PROT_READ), 0);
	(void)live_spin(LIVE_A, 0.1);
	(void)live_spin(LIVE_B, 0.1);
	assert_int_equal(mprotect(a, 4096, PROT_READ | PROT_WRITE), 0);
	(void)live_spin(LIVE_A, 0.1);
	off();
	assert_int_equal(sum(a, 16) + sum(b, 16), 0);
	profil(a, 32, (size_t)LIVE_A, 0x8000);
	assert_int_equal(munmap(a, 4096), 0);
	(void)live_spin(LIVE_A, 0.1);
	assert_ptr_equal(mmap(a, 4096, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
		a);
	(void)live_spin(LIVE_A, 0.1);
	off();
	assert_int_equal(sum(a, 16), 0);
}

/* Enabled ranges without an address are "off", also in the status after the helper's end. */
static void test_live_aix__ranges_without_an_address(void **state)
{
	short a[16] = {0};
	struct prof table[3] = {{LIVE_A + 32, LIVE_A + 32, a, 32, 0x8000},
		{LIVE_B + 32, LIVE_B, a, 32, 1}, {0, 0, NULL, 0, 0}};
	struct sprofil_state status;

	(void)state;
	profil(table, -1, 0, 0);
	for (unsigned i = 0; live_tracer() && i < 2000; i++)
		(void)usleep(5000);
	assert_int_equal(live_tracer(), 0);
	assert_int_equal(sprofil_status(&status, sizeof(status)), 0);
	assert_int_equal(status.state, SPROFIL_OFF);
	off();
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_aix__sixty_times_a_second),
		cmocka_unit_test(test_live_aix__end_of_the_buffer),
		cmocka_unit_test(test_live_aix__core_clock),
		cmocka_unit_test(test_live_aix__off_and_ineffective),
		cmocka_unit_test(test_live_aix__array_of_structures),
		cmocka_unit_test(test_live_aix__array_must_ascend),
		cmocka_unit_test(test_live_aix__fault_stops_everything),
		cmocka_unit_test(test_live_aix__ranges_without_an_address),
	};

	return live_run(tests);
}
