/* SPDX-License-Identifier: MIT */
/* The IRIX dialect on a live target. The clause of each test stands in docs/CONFORMANCE.md. */
#include <sys/time.h>
#include <sys/profil.h>

#include "tests/calls/live.h"

#include <sched.h>
#include <stdio.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

_Static_assert(offsetof(struct prof, pr_base) == 0 && offsetof(struct prof, pr_size) == 8 &&
		offsetof(struct prof, pr_off) == 16 && offsetof(struct prof, pr_scale) == 24,
	"IRIX-6");
_Static_assert(sizeof(((struct prof *)0)->pr_off) == sizeof(void *) &&
		sizeof(((struct prof *)0)->pr_size) == sizeof(unsigned),
	"IRIX-6");

static int (*const as_declared)(struct prof *, int, struct timeval *, unsigned int) = sprofil;

static void off(void)
{
	struct prof nothing = {NULL, 0, 0, 0};

	assert_int_equal(sprofil(&nothing, 1, NULL, PROF_USHORT), 0);
}

static struct prof region(void *base, unsigned size, uint64_t at, unsigned scale)
{
	return (struct prof){base, size, (__psunsigned_t)at, scale};
}

static uint64_t sum16(const unsigned short *counts, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += counts[i];
	return sum;
}

/* Tests clauses IRIX-1, IRIX-2, IRIX-26 of docs/CONFORMANCE.md. */
static void test_live_irix__disjoint_text_spaces(void **state)
{
	unsigned short *counts = live_buffer(96, MAP_PRIVATE);
	uint64_t at[3] = {LIVE_A, LIVE_B, LIVE_C};
	struct prof p[3];
	uint64_t cpu[3];

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		p[i] = region(counts + 16 * i, 32, at[i], 0x8000);
	assert_int_equal(as_declared(p, 3, NULL, PROF_USHORT), 0);
	for (unsigned i = 0; i < 3; i++)
		cpu[i] = live_spin(at[i] + 4 * i, LIVE_SHORT);
	off();
	for (unsigned i = 0; i < 3; i++) {
		live_about(counts[16 * i + i], cpu[i], LIVE_TICK_NS);
		assert_int_equal(sum16(counts + 16 * i, 16), counts[16 * i + i]);
	}
	live_check_buffer(counts, 96);
}

/* Tests clause IRIX-3 of docs/CONFORMANCE.md. */
static void test_live_irix__counts_cpu_time(void **state)
{
	unsigned short ov[1] = {0}, counts[8] = {0};
	struct prof p[2] = {region(counts, sizeof(counts), LIVE_A, 0x8000), region(ov, 2, 0, 2)};
	struct timespec second = {1, 0};
	uint64_t cpu;
	pid_t hog[4];

	(void)state;
	assert_int_equal(sprofil(p, 2, NULL, PROF_USHORT), 0);
	assert_int_equal(nanosleep(&second, NULL), 0);
	live_chance(ov[0] + sum16(counts, 8), 0, 1);
	off();
	live_chance(ov[0] + sum16(counts, 8), 0, 2); /* the table before left no tick owed */
	for (unsigned i = 0; i < 4; i++) {
		hog[i] = fork();
		assert_true(hog[i] >= 0);
		if (hog[i] == 0)
			for (;;)
				(void)live_burn(1);
	}
	assert_int_equal(sprofil(p, 2, NULL, PROF_USHORT), 0);
	cpu = live_spin(LIVE_A, live_truth() ? 1.0 : LIVE_SHORT);
	off();
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(kill(hog[i], SIGKILL), 0);
		assert_int_equal(waitpid(hog[i], NULL, 0), hog[i]);
	}
	live_about(counts[0], cpu, LIVE_TICK_NS);
}

/* Tests clause IRIX-4 of docs/CONFORMANCE.md. */
static void test_live_irix__only_profcnt_entries(void **state)
{
	unsigned short a[4] = {0}, b[4] = {0}, c[4] = {0};
	/* The array ends at an unmapped page: a read past its end would fault. */
	struct prof *p = live_buffer(2 * sizeof(*p), MAP_PRIVATE);
	struct prof three[3] = {region(a, 8, LIVE_A, 0x8000), region(b, 8, LIVE_B, 0x8000),
		region(c, 8, LIVE_C, 0x8000)};
	uint64_t cpu;

	(void)state;
	memcpy(p, three, 2 * sizeof(*p));
	assert_int_equal(sprofil(p, 2, NULL, PROF_USHORT), 0);
	assert_int_equal(sprofil(three, 2, NULL, PROF_USHORT), 0);
	(void)live_spin(LIVE_C, LIVE_SHORT);
	cpu = live_spin(LIVE_B, LIVE_SHORT);
	off();
	assert_int_equal(sum16(a, 4) + sum16(c, 4), 0);
	live_about(b[0], cpu, LIVE_TICK_NS);
}

/* Tests clause IRIX-5 of docs/CONFORMANCE.md. */
static void test_live_irix__granularities(void **state)
{
	unsigned short a[32] = {0}, b[32] = {0};
	struct prof p[2] = {
		region(a, sizeof(a), LIVE_A, 0x10000), region(b, sizeof(b), LIVE_B, 0x1000)};
	uint64_t cpu_a, cpu_b;

	(void)state;
	assert_int_equal(sprofil(p, 2, NULL, PROF_USHORT), 0);
	cpu_a = live_spin(LIVE_A + 8, LIVE_SHORT);
	cpu_b = live_spin(LIVE_B + 64, LIVE_SHORT);
	off();
	live_about(a[4], cpu_a, LIVE_TICK_NS);
	live_about(b[2], cpu_b, LIVE_TICK_NS);
	assert_int_equal(sum16(a, 32) + sum16(b, 32), a[4] + b[2]);
}

/* Tests clauses IRIX-8, IRIX-9, IRIX-12 of docs/CONFORMANCE.md. */
static void test_live_irix__edges_of_a_region(void **state)
{
	/* Room on both sides: a count past the buffer's edges is seen there instead of faulting. */
	unsigned short all[24] = {0}, *counts = all + 8, ov = 0;
	uint64_t off_at = LIVE_A + 0x100;
	struct prof p[2] = {region(counts, 16, off_at, 0x10000), region(&ov, 2, 0, 2)};
	uint64_t in, out, before;

	(void)state;
	assert_int_equal(sprofil(p, 2, NULL, PROF_USHORT | PROF_FAST), 0);
	out = live_spin(off_at - 2, 0.1) + live_spin(off_at - 1, 0.1);
	live_about(ov, out, LIVE_FAST_TICK_NS);
	assert_int_equal(sum16(all, 24), 0);
	in = live_spin(off_at, 0.1);
	assert_int_equal(sum16(all, 24), counts[0]);
	live_about(counts[0], in, LIVE_FAST_TICK_NS);
	in = live_spin(off_at + 15, 0.1);
	live_about(counts[7], in, LIVE_FAST_TICK_NS);
	before = ov;
	out = live_spin(off_at + 16, 0.1);
	off();
	live_about(ov - before, out, LIVE_FAST_TICK_NS);
	assert_int_equal(sum16(all, 24), counts[0] + counts[7]);
}

/* Tests clauses IRIX-10, IRIX-11, IRIX-15 of docs/CONFORMANCE.md. */
static void test_live_irix__tick_and_fast(void **state)
{
	unsigned counts[8] = {0};
	struct prof p = region(counts, sizeof(counts), LIVE_A, 0x10000);
	struct timeval tv = {9, 9};
	uint64_t cpu, tick;

	(void)state;
	assert_int_equal(sprofil(&p, 1, &tv, PROF_UINT), 0);
	cpu = live_spin(LIVE_A, 0.5);
	tick = (uint64_t)tv.tv_sec * 1000000000 + (uint64_t)tv.tv_usec * 1000;
	assert_int_equal(tick, LIVE_TICK_NS);
	live_about(counts[0], cpu, tick);
	counts[0] = 0x10000 - 100; /* more than 16 bits hold */
	assert_int_equal(sprofil(&p, 1, &tv, PROF_UINT | PROF_FAST), 0);
	cpu = live_spin(LIVE_A, 1.0);
	off();
	assert_int_equal(tv.tv_sec, 0);
	assert_int_equal(tv.tv_usec, 1000);
	live_about(counts[0] - (0x10000 - 100), cpu, LIVE_FAST_TICK_NS);
}

/* Tests clauses IRIX-16, IRIX-25 of docs/CONFORMANCE.md. */
static void test_live_irix__restrict_fastprof(void **state)
{
	unsigned short counts[4] = {0};
	struct prof p = region(counts, 8, LIVE_A, 0x8000);

	(void)state;
	assert_int_equal(setenv("SPROFIL_RESTRICT_FASTPROF", "1", 1), 0);
	assert_int_equal(live_errno(sprofil(&p, 1, NULL, PROF_USHORT | PROF_FAST)), EACCES);
	/* C15: the flags are checked before the pointer. */
	assert_int_equal(live_errno(sprofil((void *)8, 1, NULL, PROF_USHORT | PROF_FAST)), EACCES);
	assert_int_equal(live_errno(sprofil(&p, 1, NULL, PROF_FAST)), EINVAL);
	assert_int_equal(sprofil(&p, 1, NULL, PROF_USHORT), 0);
	assert_int_equal(unsetenv("SPROFIL_RESTRICT_FASTPROF"), 0);
	off();
}

/* Tests clauses IRIX-17, IRIX-18 of docs/CONFORMANCE.md. */
static void test_live_irix__overlap(void **state)
{
	unsigned a[0x400] = {0}, b[0x80] = {0};
	struct prof p[2] = {region(b, sizeof(b), LIVE_A + 0x400, 0x10000),
		region(a, sizeof(a), LIVE_A, 0x10000)}; /* not sorted */
	struct prof equal[40];
	uint64_t cpu;

	(void)state;
	assert_int_equal(sprofil(p, 2, NULL, PROF_UINT), 0);
	cpu = live_spin(LIVE_A + 0x500, LIVE_SHORT);
	live_about(b[0x40], cpu, LIVE_TICK_NS);
	assert_int_equal(a[0x140], 0);
	cpu = live_spin(LIVE_A + 0x700, LIVE_SHORT);
	live_about(a[0x1c0], cpu, LIVE_TICK_NS);
	memset(a, 0, sizeof(a));
	for (unsigned i = 0; i < 40; i++)
		equal[i] = region(&a[i], 4, LIVE_A, 0x10000);
	assert_int_equal(sprofil(equal, 40, NULL, PROF_UINT), 0);
	cpu = live_spin(LIVE_A, LIVE_SHORT);
	off();
	live_about(a[0], cpu, LIVE_TICK_NS);
	for (unsigned i = 1; i < 40; i++)
		assert_int_equal(a[i], 0);
}

/* Tests clauses IRIX-19, IRIX-20 of docs/CONFORMANCE.md. */
static void test_live_irix__overflow_bin(void **state)
{
	unsigned short a[16] = {0}, *bin = live_buffer(64, MAP_PRIVATE);
	struct prof p[2] = {region(a, sizeof(a), LIVE_A, 0x8000), region(bin, 64, 0, 2)};
	uint64_t cpu, before;

	(void)state;
	assert_int_equal(sprofil(p, 2, NULL, PROF_USHORT), 0);
	cpu = live_spin(LIVE_C, LIVE_SHORT);
	before = bin[0];
	live_about(before, cpu, LIVE_TICK_NS);
	cpu = live_spin(LIVE_A + 0x200, LIVE_SHORT);
	off();
	live_about(bin[0] - before, cpu, LIVE_TICK_NS);
	assert_int_equal(sum16(bin, 32), bin[0]);
	assert_int_equal(sum16(a, 16), 0);
	live_check_buffer(bin, 64);
}

/* Tests clauses IRIX-21, IRIX-23, IRIX-24 of docs/CONFORMANCE.md. */
static void test_live_irix__errors(void **state)
{
	unsigned short counts[4] = {0};
	struct prof r = region(counts, 8, LIVE_A, 0x8000), bin = region(counts, 2, 0, 2);
	struct prof wrong[3][3] = {{bin, r, r}, {bin, bin, r}, {r, bin, r}};
	struct prof *many = calloc(PROFIL_MAX + 1, sizeof(*many));
	static const int counts_refused[] = {0, -1, INT32_MIN, PROFIL_MAX + 1, INT32_MAX};

	(void)state;
	assert_non_null(many);
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(
			live_errno(sprofil(&r, counts_refused[i], NULL, PROF_USHORT)), E2BIG);
	/* E2BIG is checked first. */
	assert_int_equal(live_errno(sprofil((void *)8, 0, (void *)8, 0)), E2BIG);
	for (int i = 0; i <= PROFIL_MAX; i++)
		many[i] = r;
	assert_int_equal(sprofil(many, PROFIL_MAX, NULL, PROF_USHORT), 0);
	assert_int_equal(sprofil(many, 1, NULL, PROF_USHORT), 0);
	free(many);
	assert_int_equal(live_errno(sprofil(wrong[0], 2, NULL, PROF_USHORT)), EINVAL);
	assert_int_equal(live_errno(sprofil(wrong[1], 2, NULL, PROF_USHORT)), EINVAL);
	assert_int_equal(live_errno(sprofil(wrong[2], 3, NULL, PROF_USHORT)), EINVAL);
	assert_int_equal(sprofil(wrong[2], 2, NULL, PROF_USHORT), 0);
	assert_int_equal(live_errno(sprofil(&r, 1, NULL, 0)), EINVAL);
	assert_int_equal(live_errno(sprofil(&r, 1, NULL, PROF_FAST)), EINVAL);
	assert_int_equal(live_errno(sprofil(&r, 1, NULL, PROF_USHORT | PROF_UINT)), EINVAL);
	assert_int_equal(live_errno(sprofil(&r, 1, NULL, 8)), EINVAL);
	off();
}

/* C21: a buffer that wraps around to address 0 is refused, unless its entry is disabled. */
static void test_live_irix__no_buffer_wraps_around(void **state)
{
	struct prof wrapped = region((void *)(UINTPTR_MAX - 0xffff), 0x20000, LIVE_A, 0x10000),
		    last = region((void *)(UINTPTR_MAX - 0xffff), 0x10000, LIVE_A, 0x10000);

	(void)state;
	assert_int_equal(live_errno(sprofil(&wrapped, 1, NULL, PROF_UINT)), EINVAL);
	assert_int_equal(
		live_errno(profil(wrapped.pr_base, 0x20000, (size_t)LIVE_A, 0x8000)), EINVAL);
	wrapped.pr_scale = 0;
	assert_int_equal(sprofil(&wrapped, 1, NULL, PROF_UINT), 0);
	assert_int_equal(sprofil(&last, 1, NULL, PROF_UINT), 0);
	off();
}

/* Tests clause IRIX-22 of docs/CONFORMANCE.md. */
static void test_live_irix__illegal_addresses(void **state)
{
	unsigned short counts[4] = {0};
	struct prof r = region(counts, 8, LIVE_A, 0x8000), bin = region(counts, 2, 0, 2);
	struct prof *last = live_buffer(sizeof(*last), MAP_PRIVATE), wrong[2] = {bin, r};
	struct timeval *tv = live_buffer(sizeof(*tv), MAP_PRIVATE), ok;
	void *page = (void *)((uintptr_t)tv & ~(uintptr_t)4095);

	(void)state;
	*last = r;
	assert_int_equal(live_errno(sprofil((void *)8, 1, NULL, PROF_USHORT)), EFAULT);
	assert_int_equal(live_errno(sprofil(NULL, 1, NULL, PROF_USHORT)), EFAULT);
	assert_int_equal(live_errno(sprofil((void *)(last + 1), 1, NULL, PROF_USHORT)), EFAULT);
	assert_int_equal(live_errno(sprofil(last, 2, NULL, PROF_USHORT)), EFAULT);
	assert_int_equal(live_errno(sprofil(&r, 1, (void *)8, PROF_USHORT)), EFAULT);
	assert_int_equal(mprotect(page, 4096, PROT_READ), 0);
	assert_int_equal(live_errno(sprofil(&r, 1, tv, PROF_USHORT)), EFAULT);
	/* The table is checked before tvp. */
	assert_int_equal(live_errno(sprofil(wrong, 2, tv, PROF_USHORT)), EINVAL);
	assert_int_equal(sprofil(&r, 1, &ok, PROF_USHORT), 0);
	off();
}

/* IRIX-27, C14: a call that fails changes nothing. */
static void test_live_irix__each_call_replaces(void **state)
{
	unsigned short a[4] = {0}, b[4] = {0};
	struct prof p = region(a, 8, LIVE_A, 0x8000), q = region(b, 8, LIVE_B, 0x8000);
	uint64_t cpu, before;

	(void)state;
	assert_int_equal(sprofil(&p, 1, NULL, PROF_USHORT), 0);
	cpu = live_spin(LIVE_A, LIVE_SHORT);
	before = a[0];
	live_about(before, cpu, LIVE_TICK_NS);
	assert_int_equal(live_errno(sprofil(&q, 1, NULL, 0)), EINVAL);
	cpu = live_spin(LIVE_A, LIVE_SHORT);
	assert_int_equal(sprofil(&q, 1, NULL, PROF_USHORT), 0);
	live_about(a[0] - before, cpu, LIVE_TICK_NS);
	before = a[0];
	(void)live_spin(LIVE_A, LIVE_SHORT);
	assert_int_equal(a[0], before);
	cpu = live_spin(LIVE_B, LIVE_SHORT);
	off();
	live_about(b[0], cpu, LIVE_TICK_NS);
}

/* Tests clauses IRIX-28, IRIX-29 of docs/CONFORMANCE.md. */
static void test_live_irix__ineffective_entries(void **state)
{
	unsigned short a[16] = {0}, b[16] = {0}, ov = 0;
	struct prof p[3] = {
		region(a, 32, LIVE_A, 1), region(b, 32, LIVE_B, 0x8000), region(&ov, 2, 0, 2)};
	uint64_t cpu_a, cpu_b, before;

	(void)state;
	assert_int_equal(sprofil(p, 3, NULL, PROF_USHORT), 0);
	cpu_a = live_spin(LIVE_A, LIVE_SHORT);
	cpu_b = live_spin(LIVE_B, LIVE_SHORT);
	before = ov;
	live_about(before, cpu_a, LIVE_TICK_NS);
	live_about(b[0], cpu_b, LIVE_TICK_NS);
	p[0] = region(a, 0, LIVE_A, 0x8000);
	assert_int_equal(sprofil(p, 3, NULL, PROF_USHORT), 0);
	cpu_a = live_spin(LIVE_A, LIVE_SHORT);
	off();
	live_about(ov - before, cpu_a, LIVE_TICK_NS);
	assert_int_equal(sum16(a, 16), 0);
}

/* Tests clause IRIX-30, and the race buffer_unmapped_while_on of docs/PTRACE.md. */
static void test_live_irix__buffer_unmapped_while_on(void **state)
{
	unsigned short *a = live_buffer(4096, MAP_PRIVATE), b[4] = {0};
	struct prof p[2] = {region(a, 4096, LIVE_A, 0x8000), region(b, 8, LIVE_B, 0x8000)};
	uint64_t cpu;

	(void)state;
	for (unsigned how = 0; how < 2; how++) {
		assert_int_equal(sprofil(p, 2, NULL, PROF_USHORT), 0);
		cpu = live_spin(LIVE_A, LIVE_SHORT);
		live_about(a[0], cpu, LIVE_TICK_NS);
		memset(a, 0, 4096);
		if (how == 0)
			assert_int_equal(munmap(a, 4096), 0);
		else
			assert_int_equal(mprotect(a, 4096, PROT_READ), 0);
		(void)live_spin(LIVE_A, 0.1);
		b[0] = 0;
		cpu = live_spin(LIVE_B, LIVE_SHORT);
		live_about(b[0], cpu, LIVE_TICK_NS);
		if (how == 0)
			assert_ptr_equal(mmap(a, 4096, PROT_READ | PROT_WRITE,
						 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0),
				a);
		else
			assert_int_equal(mprotect(a, 4096, PROT_READ | PROT_WRITE), 0);
		(void)live_spin(LIVE_A, 0.1);
		assert_int_equal(sum16(a, 2048), 0);
	}
	/* A new call turns profiling on again after a fault turned the table off. */
	assert_int_equal(sprofil(p, 2, NULL, PROF_USHORT), 0);
	cpu = live_spin(LIVE_A, LIVE_SHORT);
	off();
	live_about(a[0], cpu, LIVE_TICK_NS);
}

/* IRIX-34: profil() is sprofil() with one entry. */
static void test_live_irix__profil_is_one_entry(void **state)
{
	unsigned short a[16] = {0}, b[16] = {0};
	struct prof p[2] = {region(a, 32, LIVE_A, 0x8000), region(b, 32, LIVE_B, 0x8000)};
	uint64_t cpu;

	(void)state;
	assert_int_equal(sprofil(p, 2, NULL, PROF_USHORT), 0);
	assert_int_equal(profil(a, sizeof(a), (size_t)LIVE_A, 0x8000), 0);
	cpu = live_spin(LIVE_A + 8, LIVE_SHORT);
	live_about(a[2], cpu, LIVE_TICK_NS);
	(void)live_spin(LIVE_B, 0.1); /* both old regions are gone */
	assert_int_equal(sum16(b, 16), 0);
	memset(a, 0, sizeof(a));
	/* Offset 0 and scale 2: an overflow bin. */
	assert_int_equal(profil(a, sizeof(a), 0, 2), 0);
	cpu = live_spin(LIVE_C, LIVE_SHORT);
	live_about(a[0], cpu, LIVE_TICK_NS);
	assert_int_equal(sum16(a, 16), a[0]);
	assert_int_equal(profil(a, sizeof(a), 0, 0), 0);
	memset(a, 0, sizeof(a));
	(void)live_spin(LIVE_C, 0.1);
	assert_int_equal(a[0], 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_irix__disjoint_text_spaces),
		cmocka_unit_test(test_live_irix__only_profcnt_entries),
		cmocka_unit_test(test_live_irix__granularities),
		cmocka_unit_test(test_live_irix__edges_of_a_region),
		cmocka_unit_test(test_live_irix__tick_and_fast),
		cmocka_unit_test(test_live_irix__restrict_fastprof),
		cmocka_unit_test(test_live_irix__overlap),
		cmocka_unit_test(test_live_irix__overflow_bin),
		cmocka_unit_test(test_live_irix__errors),
		cmocka_unit_test(test_live_irix__illegal_addresses),
		cmocka_unit_test(test_live_irix__no_buffer_wraps_around),
		cmocka_unit_test(test_live_irix__each_call_replaces),
		cmocka_unit_test(test_live_irix__ineffective_entries),
		cmocka_unit_test(test_live_irix__buffer_unmapped_while_on),
		cmocka_unit_test(test_live_irix__profil_is_one_entry),
	};
	static const struct CMUnitTest with_children[] = {
		cmocka_unit_test(test_live_irix__counts_cpu_time),
	};

	return live_run(tests) + live_run_with_children(with_children);
}
