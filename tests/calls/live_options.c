/* SPDX-License-Identifier: MIT */
/* sprofil_with() on a live target: other ticks, tables of threads, ticks in user mode only. */
#include <sprofil/sprofil.h>

#include "tests/calls/live.h"
#include "tests/clock.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static struct prof region_at(const void *counters, size_t bytes, uint64_t at, unsigned scale)
{
	return (struct prof){(void *)(uintptr_t)counters, (unsigned)bytes, at, scale};
}

static int with(
	const void *counters, uint64_t at, uint64_t tick_ns, uint32_t flags, struct timeval *tvp)
{
	struct prof region = region_at(counters, 4, at, at ? 0x10000 : 2);
	struct sprofil_options o = {sizeof(o), tick_ns, flags, 0};

	return sprofil_with(&region, 1, tvp, PROF_UINT, &o);
}

static int off(uint32_t flags)
{
	struct sprofil_options o = {sizeof(o), 0, flags, 0};

	return sprofil_with(NULL, 0, NULL, 0, &o);
}

static struct sprofil_state status(void)
{
	struct sprofil_state s;

	assert_int_equal(sprofil_status(&s, sizeof(s)), 0);
	return s;
}

static void test_live_options__a_tick_of_ones_own(void **state)
{
	static const uint64_t tick_ns[] = {500000, 2500000, 20000000};
	volatile uint32_t *count = live_buffer(4, MAP_PRIVATE);

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct timeval tick = {9, 9};
		uint64_t used;

		*count = 0;
		assert_int_equal(with((void *)count, LIVE_A, tick_ns[i], 0, &tick), 0);
		assert_int_equal(tick.tv_sec, 0);
		assert_int_equal(tick.tv_usec, tick_ns[i] / 1000);
		used = live_spin(LIVE_A, i == 2 ? 0.6 : 0.2);
		assert_int_equal(status().tick_ns, tick_ns[i]);
		assert_int_equal(off(0), 0);
		live_about(*count, used, tick_ns[i]);
	}
}

static void test_live_options__a_thread_has_a_table_beside_its_process(void **state)
{
	volatile uint32_t *own = live_buffer(4, MAP_PRIVATE), *all = live_buffer(4, MAP_PRIVATE);
	uint32_t before;

	(void)state;
	assert_int_equal(with((void *)all, 0, 1000000, 0, NULL), 0);
	assert_int_equal(with((void *)own, 0, 2000000, SPROFIL_THREAD, NULL), 0);
	assert_int_equal(status().tick_ns, 1000000);
	(void)live_burn(0.2);
	(void)live_spin(LIVE_A, 0.1); /* live_spin() makes the other thread */
	/* Each table has its own tick length. */
	assert_true(*own > 0 && *all > *own);
	live_chance(*own, 21, 1000);
	assert_int_equal(off(SPROFIL_THREAD), 0);
	assert_int_equal(status().state, SPROFIL_ON);
	before = *own;
	(void)live_burn(0.1);
	assert_int_equal(*own, before);
	live_chance(*all, 2 * before + 1, 10000);
	/* "Off" for the process turns off its threads' tables, too. */
	assert_int_equal(with((void *)own, 0, 2000000, SPROFIL_THREAD, NULL), 0);
	assert_int_equal(off(0), 0);
	before = *own;
	(void)live_burn(0.05);
	assert_int_equal(*own, before);
}

struct worker {
	volatile uint32_t *count;
	uint64_t at;
	pthread_barrier_t *barrier;
};

static void *work(void *context)
{
	struct worker *w = context;

	assert_int_equal(with((void *)w->count, 0, 1000000, SPROFIL_THREAD, NULL), 0);
	(void)pthread_barrier_wait(w->barrier);
	(void)live_burn(0.2);
	(void)pthread_barrier_wait(w->barrier);
	return NULL;
}

/* Two threads burn CPU time at equal addresses; each tick is in one of their tables. */
static void test_live_options__each_thread_has_its_own(void **state)
{
	pthread_barrier_t barrier;
	struct worker worker[2];
	pthread_t thread[2];
	uint64_t used = live_process_cpu();

	(void)state;
	assert_int_equal(pthread_barrier_init(&barrier, NULL, 3), 0);
	for (unsigned i = 0; i < 2; i++) {
		worker[i] = (struct worker){live_buffer(4, MAP_PRIVATE), 0, &barrier};
		assert_int_equal(pthread_create(&thread[i], NULL, work, &worker[i]), 0);
	}
	(void)pthread_barrier_wait(&barrier);
	(void)pthread_barrier_wait(&barrier);
	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(pthread_join(thread[i], NULL), 0);
	used = live_process_cpu() - used;
	print_message("%u and %u counted, %llu ms of CPU time\n", *worker[0].count,
		*worker[1].count, (unsigned long long)used / 1000000);
	for (unsigned i = 0; i < 2; i++)
		assert_in_range(*worker[i].count, 1, 100000);
	for (unsigned i = 0; i < 2; i++)
		live_chance(*worker[i].count, 60, 300);
	/* 5 standard deviations of a Poisson number, and the remainder at the beginning */
	live_chance(*worker[0].count + *worker[1].count, 0, used / 1000000 + 110);
	/* The tables ended with their threads, so the helper ends. */
	for (unsigned i = 0; i < 1000 && live_tracer(); i++)
		(void)usleep(10000);
	assert_int_equal(live_tracer(), 0);
	assert_int_equal(pthread_barrier_destroy(&barrier), 0);
}

static void read_zeroes(double seconds)
{
	static char bytes[1 << 16];
	uint64_t end = live_process_cpu() + (uint64_t)(seconds * 1e9);
	int fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);

	while (live_process_cpu() < end)
		for (unsigned i = 0; i < 50; i++)
			assert_int_equal(read(fd, bytes, sizeof(bytes)), sizeof(bytes));
	assert_int_equal(close(fd), 0);
}

static void test_live_options__user_code_alone(void **state)
{
	volatile uint32_t *count = live_buffer(4, MAP_PRIVATE);
	struct sprofil_state in_calls, alone;

	(void)state;
	assert_int_equal(with((void *)count, 0, 1000000, SPROFIL_USER_ONLY, NULL), 0);
	read_zeroes(0.3);
	assert_int_equal(off(0), 0);
	in_calls = status();
	assert_int_equal(*count, in_calls.counted);
	assert_true(in_calls.outside > 0);
	live_chance(in_calls.outside, 41, 10000);
	live_chance(in_calls.outside, 2 * in_calls.counted + 1, 10000);

	assert_int_equal(with((void *)count, LIVE_A, 1000000, SPROFIL_USER_ONLY, NULL), 0);
	(void)live_spin(LIVE_A, 0.1);
	assert_int_equal(off(0), 0);
	alone = status();
	assert_true(alone.counted > 0);
	live_chance(alone.counted, 31, 10000);

	assert_int_equal(with((void *)count, 0, 1000000, 0, NULL), 0);
	read_zeroes(0.1);
	assert_int_equal(off(0), 0);
	assert_int_equal(status().outside, 0);
}

static void sleep_s(double seconds)
{
	struct timespec left = {(time_t)seconds, (long)((seconds - (int)seconds) * 1e9)};

	assert_int_equal(clock_nanosleep(CLOCK_MONOTONIC, 0, &left, NULL), 0);
}

/*
 * Asserts that @count is the elapsed time in ticks within 5 %, 3 ticks and 30 ms: each end has a
 * remainder of less than a tick, and observations come up to 10 ms late.
 */
static void expect_elapsed(uint64_t count, double seconds, uint64_t tick_ns)
{
	double ticks = seconds * 1e9 / (double)tick_ns, less = 3 + 3e7 / (double)tick_ns;

	live_check_within(count, ticks, ticks * 0.05 + less, __FILE__, __LINE__);
}

/* All elapsed time of a sleeping thread is counted at its system call, by a status and by "off". */
static void test_live_options__elapsed_time_of_a_sleeper(void **state)
{
	volatile uint32_t *count = live_buffer(8, MAP_PRIVATE);
	struct prof regions[2] = {{(void *)(uintptr_t)count, 4, (uintptr_t)clock_nanosleep, 2},
		{(void *)(uintptr_t)(count + 1), 4, 0, 2}};
	struct sprofil_options o = {sizeof(o), 5000000, SPROFIL_WALL, 0};
	struct sprofil_state s;
	double began = clock_s(CLOCK_MONOTONIC);
	uint64_t sum;

	(void)state;
	assert_int_equal(sprofil_with(regions, 2, NULL, PROF_UINT, &o), 0);
	sleep_s(0.5);
	s = status();
	/* Without a CPU for a tick, the thread gets another one before it reads the counters. */
	sum = count[0] + count[1];
	assert_in_range(sum, s.counted, status().counted);
	assert_int_equal(s.tick_ns, 5000000);
	expect_elapsed(count[0] + count[1], clock_s(CLOCK_MONOTONIC) - began, 5000000);
	live_chance(count[0], 90, 110);
	sleep_s(0.3);
	assert_int_equal(off(0), 0);
	expect_elapsed(count[0] + count[1], clock_s(CLOCK_MONOTONIC) - began, 5000000);
	/* An observation between the status request and "off" adds to the lost ticks. */
	live_chance(status().lost, 0, 2);
	live_chance(count[0], 145, 175);
	/* A later table of CPU time counts no sleep. */
	assert_int_equal(sprofil(regions, 2, NULL, PROF_UINT), 0);
	count[0] = 0;
	sleep_s(0.1);
	assert_int_equal(off(0), 0);
	live_chance(count[0], 0, 3); /* hardly any CPU time was used */
}

/* The elapsed time of a running and of a sleeping thread is counted. */
static void test_live_options__elapsed_time_of_threads(void **state)
{
	volatile uint32_t *count = live_buffer(8, MAP_PRIVATE);
	struct prof regions[2] = {{(void *)(uintptr_t)count, 4, LIVE_A, 0x10000},
		{(void *)(uintptr_t)(count + 1), 4, 0, 2}};
	struct sprofil_options o = {sizeof(o), 0, SPROFIL_WALL, 0};
	double began, took;

	(void)state;
	assert_int_equal(sprofil_with(regions, 2, NULL, PROF_UINT, &o), 0);
	began = clock_s(CLOCK_MONOTONIC);
	(void)live_spin(LIVE_A, 0.6);
	assert_int_equal(off(0), 0);
	took = clock_s(CLOCK_MONOTONIC) - began;
	/* This thread slept. For the other one, waiting for a CPU is elapsed time, too. */
	expect_elapsed(count[1], took, LIVE_TICK_NS);
	expect_elapsed(count[0], took, LIVE_TICK_NS);
}

static void test_live_options__elapsed_time_of_one_thread(void **state)
{
	volatile uint32_t *own = live_buffer(4, MAP_PRIVATE), *all = live_buffer(4, MAP_PRIVATE);
	double began;

	(void)state;
	assert_int_equal(with((void *)all, 0, 2000000, 0, NULL), 0);
	began = clock_s(CLOCK_MONOTONIC);
	assert_int_equal(with((void *)own, 0, 2000000, SPROFIL_WALL | SPROFIL_THREAD, NULL), 0);
	(void)live_burn(0.1);
	sleep_s(0.3);
	assert_int_equal(off(SPROFIL_THREAD), 0);
	expect_elapsed(*own, clock_s(CLOCK_MONOTONIC) - began, 2000000);
	assert_int_equal(off(0), 0);
	live_chance(*all, 0, *own / 2 - 1);
}

static void test_live_options__errors(void **state)
{
	volatile uint32_t *count = live_buffer(4, MAP_PRIVATE);
	struct prof region = region_at((void *)count, 4, LIVE_A, 0x10000);
	const struct sprofil_options bad[] = {
		{sizeof(*bad) - 8, 0, 0, 0},
		{sizeof(*bad), 0, 8, 0},
		{sizeof(*bad), 0, 0, 1},
		{sizeof(*bad), 90000, 0, 0},
		{sizeof(*bad), 105000, 0, 0},
		{sizeof(*bad), UINT64_C(10000010000), 0, 0},
		{sizeof(*bad), UINT64_C(1) << 60, 0, 0},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(
			live_errno(sprofil_with(&region, 1, NULL, PROF_UINT, &bad[i])), EINVAL);
	assert_int_equal(live_errno(sprofil_with(
				 &region, 1, NULL, PROF_UINT, (const struct sprofil_options *)8)),
		EFAULT);
	assert_int_equal(setenv("SPROFIL_RESTRICT_FASTPROF", "1", 1), 0);
	assert_int_equal(live_errno(with((void *)count, LIVE_A, 9990000, 0, NULL)), EACCES);
	assert_int_equal(with((void *)count, LIVE_A, 10000000, 0, NULL), 0);
	assert_int_equal(unsetenv("SPROFIL_RESTRICT_FASTPROF"), 0);
	assert_int_equal(with((void *)count, LIVE_A, 100000, 0, NULL), 0);
	assert_int_equal(with((void *)count, LIVE_A, UINT64_C(10000000000), 0, NULL), 0);
	assert_int_equal(off(0), 0);
	assert_int_equal(off(SPROFIL_THREAD), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_live_options__a_tick_of_ones_own),
		cmocka_unit_test(test_live_options__a_thread_has_a_table_beside_its_process),
		cmocka_unit_test(test_live_options__each_thread_has_its_own),
		cmocka_unit_test(test_live_options__user_code_alone),
		cmocka_unit_test(test_live_options__elapsed_time_of_a_sleeper),
		cmocka_unit_test(test_live_options__elapsed_time_of_threads),
		cmocka_unit_test(test_live_options__elapsed_time_of_one_thread),
		cmocka_unit_test(test_live_options__errors),
	};

	return live_run(tests);
}
