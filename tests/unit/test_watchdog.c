/* SPDX-License-Identifier: MIT */
/* Three looks at a thread in the D state are tests/calls/test_undelivered.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <time.h>
#include <unistd.h>

#include "supervisor/os/watchdog.h"

#define SECOND_NS UINT64_C(1000000000)

static struct watchdog watchdog;
static atomic_bool over;

static uint64_t clock_of(clockid_t clock)
{
	struct timespec ts;

	(void)clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * SECOND_NS + (uint64_t)ts.tv_nsec;
}

/* *@context: how long a piece of work takes, in ns of CPU time. Works for 4.5 s of it. */
static void *work(void *context)
{
	uint64_t piece = *(const uint64_t *)context, used = 0, noted = 0;

	watchdog_begin(&watchdog);
	while (used < 9 * SECOND_NS / 2 && !atomic_load(&over)) {
		used = clock_of(CLOCK_THREAD_CPUTIME_ID);
		if (noted && used - noted < piece)
			continue;
		watchdog_note(&watchdog, 0);
		noted = used;
		watchdog_note(&watchdog, clock_of(CLOCK_MONOTONIC));
	}
	return NULL;
}

static bool hangs(uint64_t piece)
{
	pthread_t thread;
	bool hung;

	watchdog = (struct watchdog){0};
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
	struct timespec pause = {20, 0};

	watchdog_begin(&watchdog);
	watchdog_note(&watchdog, *(const uint64_t *)context);
	if (*(const uint64_t *)context)
		(void)nanosleep(&pause, NULL);
	return NULL;
}

static void test_watchdog__sees_a_thread_that_sleeps_at_work(void **state)
{
	uint64_t at_work = 1, at_rest = 0;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, fall_asleep, &at_work), 0);
	assert_true(watchdog_join(&watchdog, thread));
	assert_int_equal(pthread_cancel(thread), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(pthread_create(&thread, NULL, fall_asleep, &at_rest), 0);
	assert_false(watchdog_join(&watchdog, thread));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_watchdog__sees_a_thread_that_works_for_ever),
		cmocka_unit_test(test_watchdog__a_busy_thread_that_gets_on_does_not_hang),
		cmocka_unit_test(test_watchdog__sees_a_thread_that_sleeps_at_work),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
