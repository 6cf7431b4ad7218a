/* SPDX-License-Identifier: MIT */
/*
 * A test for each defect of glibc's own sprofil and profil (CONFORMANCE, section 4). Built with the
 * glibc dialect's header and libsprofil; and with glibc's own header and library, to be run under
 * LD_PRELOAD=libsprofil-preload.so.
 */
#include <sys/types.h>
#include <sys/time.h>
#include <sys/profil.h>
#include <unistd.h>

#include "tests/calls/live.h"

#include <limits.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define UINT64_FLAG 8 /* glibc's own header lacks it */

_Static_assert(offsetof(struct prof, pr_base) == 0 && offsetof(struct prof, pr_size) == 8 &&
		offsetof(struct prof, pr_off) == 16 && offsetof(struct prof, pr_scale) == 24,
	"glibc's ABI");

static void off(void)
{
	assert_int_equal(sprofil(NULL, 0, NULL, 0), 0);
}

static struct prof region(void *base, size_t size, uint64_t at, unsigned long scale)
{
	return (struct prof){base, size, (size_t)at, scale};
}

static void test_live_glibc__second_call_replaces(void **state)
{
	unsigned a[4] = {0}, b[4] = {0};
	struct prof p = region(a, 16, LIVE_A, 0x10000), q = region(b, 16, LIVE_B, 0x10000);
	uint64_t cpu;

	(void)state;
	assert_int_equal(sprofil(&p, 1, NULL, PROF_UINT), 0);
	assert_int_equal(sprofil(&q, 1, NULL, PROF_UINT), 0);
	cpu = live_spin(LIVE_B, LIVE_SHORT);
	live_about(b[0], cpu, LIVE_TICK_NS);
	for (unsigned i = 0; i < 3; i++) { /* on, off, on */
		off();
		assert_int_equal(sprofil(&p, 1, NULL, PROF_UINT), 0);
	}
	cpu = live_spin(LIVE_A, LIVE_SHORT);
	off();
	live_about(a[0], cpu, LIVE_TICK_NS);
}

/* A thread hops between adjacent regions: no tick goes to a wrong counter. */
static void test_live_glibc__change_of_region(void **state)
{
	unsigned a[4] = {0}, b[4] = {0}, ov = 0;
	struct prof p[3] = {region(a, 16, LIVE_A, 0x10000), region(b, 16, LIVE_A + 16, 0x10000),
		region(&ov, 4, 0, 2)};
	uint64_t cpu[2], all = live_process_cpu(), rest;

	(void)state;
	assert_int_equal(sprofil(p, 3, NULL, PROF_UINT), 0);
	live_hop((const uint64_t[]){LIVE_A, LIVE_A + 16}, 0.15, cpu);
	off();
	live_about(a[0], cpu[0], LIVE_TICK_NS);
	live_about(b[0], cpu[1], LIVE_TICK_NS);
	/* The rest is the test's own code. */
	all = live_process_cpu() - all;
	rest = all > cpu[0] + cpu[1] ? all - cpu[0] - cpu[1] : 0;
	live_about(ov, rest, LIVE_TICK_NS);
}

static void test_live_glibc__unmatched_goes_nowhere(void **state)
{
	unsigned a[16] = {0}, b[16] = {0};
	struct prof p[2] = {region(a, 16, LIVE_A, 0x10000), region(b, 16, LIVE_B, 0x10000)};

	(void)state;
	assert_int_equal(sprofil(p, 2, NULL, PROF_UINT), 0);
	(void)live_spin(LIVE_A - 4096, 0.1); /* below the lowest region */
	(void)live_spin(LIVE_A + 0x100, 0.1);
	(void)live_spin(LIVE_C, 0.1);
	off();
	for (unsigned i = 0; i < 16; i++)
		assert_true(a[i] == 0 && b[i] == 0);
}

static void test_live_glibc__bin_saturates(void **state)
{
	unsigned short a[4] = {0}, ov = 0xfffe;
	unsigned wide = 0xfffffffe;
	struct prof p[2] = {region(a, 8, LIVE_A, 0x8000), region(&ov, 2, 0, 2)};

	(void)state;
	a[0] = 0xfffe;
	assert_int_equal(sprofil(p, 2, NULL, PROF_USHORT), 0);
	(void)live_spin(LIVE_C, 0.1);
	(void)live_spin(LIVE_A, 0.1);
	assert_int_equal(ov, 0xffff);
	assert_int_equal(a[0], 0xffff);
	p[1] = region(&wide, 4, 0, 2);
	assert_int_equal(sprofil(p + 1, 1, NULL, PROF_UINT), 0);
	(void)live_spin(LIVE_C, 0.1);
	off();
	assert_int_equal(wide, 0xffffffff);
}

/* The bin may be anywhere in the table; the reported tick is the real one; PROF_FAST works. */
static void test_live_glibc__bin_tick_and_fast(void **state)
{
	unsigned a[4] = {0}, ov = 0;
	struct prof p[2] = {region(&ov, 4, 0, 2), region(a, 16, LIVE_A, 0x10000)};
	struct timeval tv = {9, 9};
	uint64_t cpu, out;

	(void)state;
	assert_int_equal(sprofil(p, 2, &tv, PROF_UINT), 0);
	assert_true(tv.tv_sec == 0 && tv.tv_usec == 10000);
	out = live_spin(LIVE_C, LIVE_SHORT);
	cpu = live_spin(LIVE_A, 0.5);
	live_about(a[0], cpu, LIVE_TICK_NS);
	live_about(ov, out, LIVE_TICK_NS);
	a[0] = 0;
	assert_int_equal(sprofil(p, 2, &tv, PROF_UINT | PROF_FAST), 0);
	assert_true(tv.tv_sec == 0 && tv.tv_usec == 1000);
	cpu = live_spin(LIVE_A, 0.5);
	off();
	live_about(a[0], cpu, LIVE_FAST_TICK_NS);
}

static void test_live_glibc__errors(void **state)
{
	unsigned short a[4] = {0};
	struct prof p = region(a, 8, LIVE_A, 0x8000);

	(void)state;
	assert_int_equal(live_errno(sprofil(&p, -1, NULL, PROF_USHORT)), E2BIG);
	assert_int_equal(live_errno(sprofil(&p, INT_MIN, NULL, PROF_USHORT)), E2BIG);
	assert_int_equal(live_errno(sprofil(&p, 65537, NULL, PROF_USHORT)), E2BIG);
	assert_int_equal(live_errno(sprofil((void *)8, 1, NULL, PROF_USHORT)), EFAULT);
	assert_int_equal(live_errno(sprofil(&p, 1, (void *)8, PROF_USHORT)), EFAULT);
	assert_int_equal(live_errno(sprofil(&p, 1, NULL, 4)), EINVAL);
	assert_int_equal(live_errno(sprofil(&p, 1, NULL, PROF_UINT | UINT64_FLAG)), EINVAL);
	assert_int_equal(setenv("SPROFIL_RESTRICT_FASTPROF", "1", 1), 0);
	assert_int_equal(live_errno(sprofil(&p, 1, NULL, PROF_FAST)), EACCES);
	assert_int_equal(unsetenv("SPROFIL_RESTRICT_FASTPROF"), 0);
}

static void test_live_glibc__wide_counters(void **state)
{
	uint64_t a[4] = {UINT32_MAX}, cpu;
	struct prof p = region(a, sizeof(a), LIVE_A, 0x20000);

	(void)state;
	assert_int_equal(sprofil(&p, 1, NULL, UINT64_FLAG), 0);
	cpu = live_spin(LIVE_A, LIVE_SHORT);
	off();
	live_about(a[0] - UINT32_MAX, cpu, LIVE_TICK_NS);
}

static void test_live_glibc__two_threads_in_one_bin(void **state)
{
	unsigned a[4] = {0};
	struct prof p = region(a, 16, LIVE_A, 0x10000);
	uint64_t cpu[2];

	(void)state;
	assert_int_equal(sprofil(&p, 1, NULL, PROF_UINT), 0);
	live_spin_both(LIVE_A, LIVE_A, 0.5, cpu);
	off();
	live_about(a[0], cpu[0] + cpu[1], LIVE_TICK_NS);
}

/* SIGPROF's disposition stays; a forked child is profiled; no SIGPROF kills an exec's image. */
static void test_live_glibc__children(void **state)
{
	unsigned *a = live_buffer(16, MAP_SHARED);
	uint64_t *cpu = live_buffer(sizeof(*cpu), MAP_SHARED);
	struct prof p = region(a, 16, LIVE_A, 0x10000);
	char *const argv[] = {(char *)"sh", (char *)"-c",
		(char *)"i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done", NULL};
	struct sigaction before, after;
	pid_t pid;

	(void)state;
	assert_int_equal(sigaction(SIGPROF, NULL, &before), 0);
	assert_int_equal(sprofil(&p, 1, NULL, PROF_UINT), 0);
	assert_int_equal(sigaction(SIGPROF, NULL, &after), 0);
	assert_ptr_equal(before.sa_handler, after.sa_handler);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		*cpu = live_spin(LIVE_A, LIVE_SHORT);
		_exit(0);
	}
	live_reap(pid);
	live_about(a[0], *cpu, LIVE_TICK_NS);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)signal(SIGPROF, SIG_DFL);
		(void)execv("/bin/sh", argv);
		_exit(9);
	}
	live_reap(pid);
	off();
}

static void test_live_glibc__profil(void **state)
{
	unsigned short a[8] = {0}, before, *volatile none = NULL; /* glibc declares it non-null */
	uint64_t cpu;

	(void)state;
	a[2] = 65530;
	assert_int_equal(profil(a, sizeof(a), (size_t)LIVE_A, 0x8000), 0);
	cpu = live_spin(LIVE_A, LIVE_SHORT);
	(void)live_spin(LIVE_A + 8, LIVE_SHORT);
	live_about(a[0], cpu, LIVE_TICK_NS);
	assert_int_equal(a[2], 65535); /* the counter has not wrapped */
	for (unsigned scale = 0; scale < 2; scale++) {
		assert_int_equal(profil(a, sizeof(a), (size_t)LIVE_A, 0x8000), 0);
		assert_int_equal(profil(a, sizeof(a), (size_t)LIVE_A, scale), 0);
		before = a[0];
		(void)live_spin(LIVE_A, 0.1);
		assert_int_equal(a[0], before);
	}
	assert_int_equal(profil(none, 64, (size_t)LIVE_A, 0x8000), 0);
	/* An unmapped buffer does not end the process. */
	assert_int_equal(profil((unsigned short *)(uintptr_t)4096, 64, (size_t)LIVE_A, 0x8000), 0);
	(void)live_spin(LIVE_A, 0.1);
	/* Offset 0 and scale 2 are no overflow bin here. */
	assert_int_equal(profil(a, sizeof(a), 0, 2), 0);
	before = a[0];
	(void)live_spin(LIVE_C, 0.1);
	assert_int_equal(a[0], before);
	assert_int_equal(profil(none, 0, 0, 0), 0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_glibc__second_call_replaces),
		cmocka_unit_test(test_live_glibc__change_of_region),
		cmocka_unit_test(test_live_glibc__unmatched_goes_nowhere),
		cmocka_unit_test(test_live_glibc__bin_saturates),
		cmocka_unit_test(test_live_glibc__bin_tick_and_fast),
		cmocka_unit_test(test_live_glibc__errors),
		cmocka_unit_test(test_live_glibc__wide_counters),
		cmocka_unit_test(test_live_glibc__two_threads_in_one_bin),
		cmocka_unit_test(test_live_glibc__profil),
	};
	static const struct CMUnitTest with_children[] = {
		cmocka_unit_test(test_live_glibc__children),
	};

	return live_run(tests) + live_run_with_children(with_children);
}
