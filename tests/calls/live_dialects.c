/* SPDX-License-Identifier: MIT */
/*
 * What all dialects have in common, tested in each one: fork, exec, calls that fail, the width of
 * scales. sprofil_status() returns the exact number of counts.
 */
#include "client/dialects.h"

#include "client/include/sprofil/status.h"
#include "tests/calls/live.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define FIXED     UINT64_C(0x30000000)
#define BAD_FLAGS 0x1000
#define NO_FAST   0

/* struct prof of IRIX, HP-UX and the native dialect. */
struct entry {
	void *base;
	unsigned size;
	unsigned long offset;
	unsigned scale;
};
struct glibc_entry {
	void *base;
	size_t size, offset;
	unsigned long scale;
};
struct aix_entry {
	uint64_t low, high;
	void *base;
	int size, scale;
};

static const struct dialect {
	const char *name;
	int (*sprofil)(const void *profp, int profcnt, struct timeval *tvp, unsigned flags);
	int (*profil)(unsigned short *buff, size_t bufsiz, size_t offset, unsigned scale);
	void (*silent)(unsigned short *buff, size_t bufsiz, size_t offset, unsigned scale);
	unsigned ushort_flag, fast_flag;
	bool glibc;
} dialects[] = {
	{"native", sprofil_native_sprofil, sprofil_native_profil, NULL, 1, 4, false},
	{"hpux", sprofil_hpux_sprofil, sprofil_hpux_profil, NULL, 1, NO_FAST, false},
	{"irix", sprofil_irix_sprofil, sprofil_irix_profil, NULL, 1, 4, false},
	{"glibc", sprofil_glibc_sprofil, sprofil_glibc_profil, NULL, 0, 2, true},
	{"sysv", NULL, NULL, sprofil_sysv_profil, 0, NO_FAST, false},
	{"aix", NULL, NULL, NULL, 0, NO_FAST, false},
};

#define DIALECTS (sizeof(dialects) / sizeof(*dialects))

static void call(const struct dialect *d, unsigned short *buff, size_t bufsiz, uint64_t offset,
	unsigned scale)
{
	errno = 0;
	if (d->profil)
		assert_int_equal(d->profil(buff, bufsiz, offset, scale), 0);
	else if (d->silent)
		d->silent(buff, bufsiz, offset, scale);
	else
		sprofil_aix_profil(buff, bufsiz, offset, scale);
	assert_int_equal(errno, 0);
}

static void off(const struct dialect *d)
{
	unsigned short nothing = 0;

	call(d, &nothing, sizeof(nothing), 0, 0);
}

static struct sprofil_state ask(void)
{
	struct sprofil_state state;

	assert_int_equal(live_errno(sprofil_status(&state, sizeof(state))), 0);
	return state;
}

/*
 * Spins until @counter has changed, for at most 1.6 s of CPU: a hundred ticks of the slowest clock.
 * On a busy machine, a thread that runs for a few ticks may get none.
 */
static void spin_until_counted(const volatile unsigned short *counter, uint64_t at)
{
	unsigned short before = *counter;

	for (unsigned i = 0; i < 40 && *counter == before; i++)
		(void)live_spin(at, 0.04);
	assert_true(*counter != before);
}

/* Turns off. Asserts that the sum of the @n counters is the number of counted ticks, and not 0. */
static void expect_all_in(const struct dialect *d, const unsigned short *counts, unsigned n)
{
	struct sprofil_state s;
	uint64_t sum = 0;

	off(d);
	s = ask();
	for (unsigned i = 0; i < n; i++)
		sum += counts[i];
	if (sum != s.counted || !sum)
		fail_msg("%s: %llu in the counters, %llu counted", d->name, (unsigned long long)sum,
			(unsigned long long)s.counted);
}

/* HPS-7, IRIX-32, AIX-25, SYSV-19, G11: after a fork, parent and child count in own memory. */
static void test_live_dialects__fork_leaves_on_in_both(void **state)
{
	(void)state;
	for (unsigned i = 0; i < DIALECTS; i++) {
		const struct dialect *d = &dialects[i];
		unsigned short *counts = live_buffer(16, MAP_PRIVATE), before;
		pid_t pid;

		call(d, counts, 16, LIVE_A, 0x8000);
		spin_until_counted(counts, LIVE_A);
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			memset(counts, 0, 16);
			spin_until_counted(counts + 1, LIVE_A + 4);
			expect_all_in(d, counts, 8);
			_exit(counts[1] == 0);
		}
		before = counts[0];
		spin_until_counted(counts, LIVE_A);
		live_reap(pid);
		assert_int_equal(counts[1], 0);
		assert_true(counts[0] > before);
		expect_all_in(d, counts, 8);
	}
}

/* The new image of the next test: its spinning at the old image's addresses must not be counted. */
static int image(void)
{
	unsigned short *counts = mmap((void *)(uintptr_t)FIXED, 4096, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	struct sprofil_state s;

	if (counts == MAP_FAILED)
		return 1;
	(void)live_spin(LIVE_A, 0.1);
	for (unsigned i = 0; i < 8; i++)
		if (counts[i])
			return 2;
	return sprofil_status(&s, sizeof(s)) < 0 || s.state != SPROFIL_OFF ? 3 : 0;
}

/* Tests clauses HPS-7, IRIX-31, AIX-22, SYSV-18 of docs/CONFORMANCE.md. */
static void test_live_dialects__exec_turns_off(void **state)
{
	char *const argv[] = {(char *)"live_dialects", (char *)"image", NULL};

	(void)state;
	for (unsigned i = 0; i < DIALECTS; i++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (pid == 0) {
			unsigned short *counts =
				mmap((void *)(uintptr_t)FIXED, 4096, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

			call(&dialects[i], counts, 16, LIVE_A, 0x8000);
			spin_until_counted(counts, LIVE_A);
			(void)execv("/proc/self/exe", argv);
			_exit(11);
		}
		live_reap(pid);
	}
}

/* C3: a scale has 32 bits; in AIX, its low 16 bits count. */
static void test_live_dialects__width_of_scales(void **state)
{
	(void)state;
	for (unsigned i = 0; i < DIALECTS; i++) {
		const struct dialect *d = &dialects[i];
		bool aix = i == DIALECTS - 1;
		unsigned short *counts = live_buffer(64, MAP_PRIVATE);

		/* LIVE_A + 8 has counter 8 * 0x18000 / 0x20000; in AIX, 8 * 0x8000 / 0x20000. */
		call(d, counts, 64, LIVE_A, 0x18000);
		spin_until_counted(counts + (aix ? 2 : 6), LIVE_A + 8);
		expect_all_in(d, counts + (aix ? 2 : 6), 1);
		memset(counts, 0, 64);
		call(d, counts, 64, LIVE_A, 0x20000);
		if (aix) {
			assert_int_equal(ask().state, SPROFIL_OFF);
			continue;
		}
		spin_until_counted(counts + 5, LIVE_A + 5);
		expect_all_in(d, counts + 5, 1);
	}
}

/* Returns an array of two regions; @base: the buffer of the first. */
static const void *table_of(const struct dialect *d, void *base)
{
	static unsigned short b[4];
	static struct entry two[2];
	static struct glibc_entry glibc_two[2];

	two[0] = (struct entry){base, 8, LIVE_A, 0x8000};
	two[1] = (struct entry){b, 8, LIVE_B, 0x8000};
	glibc_two[0] = (struct glibc_entry){base, 8, LIVE_A, 0x8000};
	glibc_two[1] = (struct glibc_entry){b, 8, LIVE_B, 0x8000};
	return d->glibc ? (const void *)glibc_two : two;
}

static void expect_tick(const struct dialect *d, unsigned flags, void *counts, uint64_t tick_ns)
{
	struct timeval tick = {9, 9};

	assert_int_equal(d->sprofil(table_of(d, counts), 2, &tick, flags), 0);
	assert_int_equal(tick.tv_sec, 0);
	assert_int_equal(tick.tv_usec, tick_ns / 1000);
	assert_int_equal(ask().tick_ns, tick_ns);
}

/* The clock is slow unless the fast one is requested. */
static void test_live_dialects__ticks(void **state)
{
	(void)state;
	for (unsigned i = 0; i < DIALECTS; i++) {
		const struct dialect *d = &dialects[i];
		unsigned short *counts = live_buffer(8, MAP_PRIVATE);

		call(d, counts, 8, LIVE_A, 0x8000);
		assert_int_equal(
			ask().tick_ns, i == DIALECTS - 1 ? LIVE_AIX_TICK_NS : LIVE_TICK_NS);
		if (d->sprofil)
			expect_tick(d, d->ushort_flag, counts, LIVE_TICK_NS);
		if (d->fast_flag)
			expect_tick(d, d->ushort_flag | d->fast_flag, counts, LIVE_FAST_TICK_NS);
		off(d);
	}
}

static void expect_unchanged(const struct dialect *d, const unsigned short *counts)
{
	struct sprofil_state s = ask();
	uint64_t before = s.counted;

	assert_int_equal(s.state, SPROFIL_ON);
	assert_int_equal(s.regions, 1);
	spin_until_counted(counts, LIVE_C);
	s = ask();
	if (s.counted <= before || s.counted != counts[0])
		fail_msg("%s: counts no more after a call that has failed", d->name);
}

/* C14, C15, IRIX-25: the first error in the order of checks is reported; the table stays. */
static void test_live_dialects__errors_in_order(void **state)
{
	(void)state;
	for (unsigned i = 0; i < DIALECTS; i++) {
		const struct dialect *d = &dialects[i];
		unsigned short *counts = live_buffer(2, MAP_PRIVATE);
		void *wraps = (void *)(UINTPTR_MAX - 3), *nowhere = (void *)8;
		unsigned good = d->ushort_flag;

		if (!d->sprofil)
			continue;
		call(d, counts, 2, LIVE_C, 0x8000);
		assert_int_equal(live_errno(d->sprofil(nowhere, -1, nowhere, BAD_FLAGS)), E2BIG);
		assert_int_equal(live_errno(d->sprofil(nowhere, 65537, nowhere, BAD_FLAGS)), E2BIG);
		expect_unchanged(d, counts);
		assert_int_equal(setenv("SPROFIL_RESTRICT_FASTPROF", "1", 1), 0);
		assert_int_equal(live_errno(d->sprofil(
					 nowhere, 2, nowhere, BAD_FLAGS | good | d->fast_flag)),
			EINVAL);
		if (d->fast_flag)
			assert_int_equal(
				live_errno(d->sprofil(nowhere, 2, nowhere, good | d->fast_flag)),
				EACCES);
		assert_int_equal(unsetenv("SPROFIL_RESTRICT_FASTPROF"), 0);
		expect_unchanged(d, counts);
		assert_int_equal(live_errno(d->sprofil(nowhere, 2, nowhere, good)), EFAULT);
		assert_int_equal(live_errno(d->sprofil(NULL, 2, nowhere, good)), EFAULT);
		assert_int_equal(
			live_errno(d->sprofil(table_of(d, wraps), 2, nowhere, good)), EINVAL);
		assert_int_equal(
			live_errno(d->sprofil(table_of(d, counts), 2, nowhere, good)), EFAULT);
		expect_unchanged(d, counts);
		assert_int_equal(d->sprofil(table_of(d, counts), 2, NULL, good), 0);
		assert_int_equal(ask().regions, 2);
		off(d);
	}
}

/* C14, C15: functions without a result report a failure by errno alone. */
static void test_live_dialects__silent_calls_that_fail(void **state)
{
	const struct dialect *aix = &dialects[DIALECTS - 1];
	unsigned short *counts = live_buffer(2, MAP_PRIVATE);
	struct aix_entry down[3] = {
		{LIVE_B, LIVE_B + 8, counts, 2, 0x8000}, {LIVE_A, LIVE_A + 8, counts, 2, 0x8000}};
	struct aix_entry wraps[2] = {{LIVE_A, LIVE_A + 8, (void *)(UINTPTR_MAX - 3), 8, 0x8000}};

	(void)state;
	call(aix, counts, 2, LIVE_C, 0x8000);
	errno = 0;
	sprofil_aix_profil(down, UINT32_MAX, 0, 0);
	assert_int_equal(errno, EINVAL);
	errno = 0;
	sprofil_aix_profil(wraps, UINT32_MAX, 0, 0);
	assert_int_equal(errno, EINVAL);
	errno = 0;
	sprofil_aix_profil((void *)8, UINT32_MAX, 0, 0);
	assert_int_equal(errno, EFAULT);
	expect_unchanged(aix, counts);
	errno = 0;
	sprofil_sysv_profil((void *)(UINTPTR_MAX - 3), 8, LIVE_A, 0x8000);
	assert_int_equal(errno, EINVAL);
	expect_unchanged(aix, counts);
	off(aix);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest with_children[] = {
		cmocka_unit_test(test_live_dialects__fork_leaves_on_in_both),
		cmocka_unit_test(test_live_dialects__exec_turns_off),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_dialects__width_of_scales),
		cmocka_unit_test(test_live_dialects__ticks),
		cmocka_unit_test(test_live_dialects__errors_in_order),
		cmocka_unit_test(test_live_dialects__silent_calls_that_fail),
	};

	/* The shared library looked for its helper in vain, and must have restored errno. */
	if (errno)
		return 20;
	if (argc == 2 && strcmp(argv[1], "image") == 0)
		return image();
	return live_run_with_children(with_children) + live_run(tests);
}
