/* SPDX-License-Identifier: MIT */
/* The watchdog. tests/calls/test_undelivered.sh tests its checks of a thread in the D state. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <time.h>
#include <unistd.h>

#include "supervisor/os/watchdog.h"
#include "tests/clock.h"

#define SECOND_NS UINT64_C(1000000000)

static struct watchdog watchdog;
static atomic_bool over;

/* A sleeping thread, its watchdog, and whether that took the thread for hung. */
struct nap {
	struct watchdog watchdog;
	uint64_t at_work;
	pthread_t sleeper, watcher;
	bool hung;
};

/* Works for longer than the watchdog permits. @context: CPU time of a piece of work in ns. */
static void *work(void *context)
{
	uint64_t piece = *(const uint64_t *)context, used = 0, noted = 0;

	watchdog_begin(&watchdog);
	while (used < 4 * SECOND_NS && !atomic_load(&over)) {
		used = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		if (noted && used - noted < piece)
			continue;
		watchdog_note(&watchdog, 0);
		noted = used;
		watchdog_note(&watchdog, clock_ns(CLOCK_MONOTONIC));
	}
	return NULL;
}

static bool hangs(uint64_t piece)
{
	pthread_t thread;
	bool hung;

	watchdog = (struct watchdog){.unloaded = true};
	atomic_store(&over, false);
	assert_int_equal(pthread_create(&thread, NULL, work, &piece), 0);
	hung = watchdog_join(&watchdog, thread);
	atomic_store(&over, true);
	if (hung)
		assert_int_equal(pthread_join(thread, NULL), 0);
	return hung;
}

static void test_watchdog__sees_a_thread_that_works_for_ever(void **state)
{
	(void)state;
	assert_true(hangs(60 * SECOND_NS));
}

static void test_watchdog__a_busy_thread_that_gets_on_does_not_hang(void **state)
{
	(void)state;
	assert_false(hangs(SECOND_NS));
}

static void *fall_asleep(void *context)
{
	struct nap *nap = context;
	struct timespec pause = {20, 0};

	watchdog_begin(&nap->watchdog);
	watchdog_note(&nap->watchdog, nap->at_work);
	if (nap->at_work)
		(void)nanosleep(&pause, NULL);
	return NULL;
}

static void *watch(void *context)
{
	struct nap *nap = context;

	nap->hung = watchdog_join(&nap->watchdog, nap->sleeper);
	return NULL;
}

/* The sleep of ten seconds begins before the other tests, which use the CPUs meanwhile. */
static int begin_nap(void **state)
{
	static struct nap nap = {.watchdog = {.unloaded = true}, .at_work = 1};

	*state = &nap;
	return pthread_create(&nap.sleeper, NULL, fall_asleep, &nap) ||
		pthread_create(&nap.watcher, NULL, watch, &nap);
}

static void test_watchdog__sees_a_thread_that_sleeps_at_work(void **state)
{
	struct nap *nap = *state;

	assert_int_equal(pthread_join(nap->watcher, NULL), 0);
	assert_true(nap->hung);
	assert_int_equal(pthread_cancel(nap->sleeper), 0);
	assert_int_equal(pthread_join(nap->sleeper, NULL), 0);
}

static void test_watchdog__one_that_is_at_rest_does_not_hang(void **state)
{
	struct nap nap = {.watchdog = {.unloaded = true}};

	(void)state;
	assert_int_equal(pthread_create(&nap.sleeper, NULL, fall_asleep, &nap), 0);
	assert_false(watchdog_join(&nap.watchdog, nap.sleeper));
}

/* Checks of 50 ms until a thread in @state counts as hung, beside @runnable others on two CPUs. */
static unsigned looks_until_hung(char state, int runnable, int nice)
{
	struct watchdog_case work = {0};
	struct watchdog_look look = {
		1, 0, watchdog_share(50 * SECOND_NS / 1000, runnable, 2, nice), state};
	unsigned looks = 0;

	while (looks < 100000 && !watchdog_judge(&work, &look))
		looks++;
	return looks;
}

static void test_watchdog__a_page_that_never_comes_is_a_hang(void **state)
{
	(void)state;
	assert_int_equal(looks_until_hung('D', 0, 5), 60);
	assert_int_equal(looks_until_hung('D', 2, 0), 60);
	assert_int_equal(looks_until_hung('D', -2, 5), 60); /* the load is unknown */
	assert_int_equal(looks_until_hung('S', 0, 0), 200);
	assert_int_equal(looks_until_hung('R', 0, 0), 100000);
}

/*
 * On a loaded machine a thread may wait long for others that get no CPU: beside 30 runnable threads
 * at nice 5, it waited two to four seconds for the lock of a process's memory.
 */
static void test_watchdog__who_waits_for_starved_threads_does_not_hang(void **state)
{
	(void)state;
	assert_int_equal(looks_until_hung('D', 20, 0), 600);
	assert_true(looks_until_hung('D', 30, 5) > 30 * 20);
	assert_true(looks_until_hung('S', 30, 5) > 30 * 20);
	/* However high the load, a thread in the D state at 960 checks in a row counts as hung. */
	assert_int_equal(looks_until_hung('D', 1000, 19), 960);
}

static void test_watchdog__begins_anew_with_each_piece_of_work(void **state)
{
	struct watchdog_case work = {0};
	struct watchdog_look look = {1, 0, SECOND_NS, 'D'};

	(void)state;
	assert_false(watchdog_judge(&work, &look));
	assert_false(watchdog_judge(&work, &look));
	assert_false(watchdog_judge(&work, &look));
	look.awake_ns = 2;
	look.cpu_ns = 5 * SECOND_NS;
	for (unsigned i = 0; i < 3; i++)
		assert_false(watchdog_judge(&work, &look));
	assert_true(watchdog_judge(&work, &look));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_watchdog__sees_a_thread_that_works_for_ever),
		cmocka_unit_test(test_watchdog__a_busy_thread_that_gets_on_does_not_hang),
		cmocka_unit_test(test_watchdog__a_page_that_never_comes_is_a_hang),
		cmocka_unit_test(test_watchdog__who_waits_for_starved_threads_does_not_hang),
		cmocka_unit_test(test_watchdog__begins_anew_with_each_piece_of_work),
		cmocka_unit_test(test_watchdog__one_that_is_at_rest_does_not_hang),
		cmocka_unit_test(test_watchdog__sees_a_thread_that_sleeps_at_work),
	};

	return cmocka_run_group_tests(tests, begin_nap, NULL);
}
