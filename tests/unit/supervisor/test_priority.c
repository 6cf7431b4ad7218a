/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "supervisor/os/priority.h"

#define MOST_NS UINT64_C(20000000000)

/* Skips the test if real-time priority is refused, as without RLIMIT_RTPRIO. */
static void need_realtime(void)
{
	const struct timespec nap = {0, 100000};

	assert_int_equal(priority_guard(), 0);
	if (priority_realtime() < 0)
		skip();
	/* A sleep resets the kernel's count of CPU time without a pause (RLIMIT_RTTIME). */
	(void)nanosleep(&nap, NULL);
	assert_true(priority_is_realtime());
}

/* A sampler in an endless loop must not block its CPU. */
static void test_priority__a_thread_that_never_pauses_loses_it(void **state)
{
	uint64_t until;

	(void)state;
	need_realtime();
	until = clock_now() + MOST_NS;
	while (priority_is_realtime() && clock_now() < until)
		;
	assert_false(priority_is_realtime());
}

static void test_priority__one_that_sleeps_keeps_it(void **state)
{
	const struct timespec nap = {0, 100000};
	uint64_t until, busy;

	(void)state;
	need_realtime();
	until = clock_read(CLOCK_THREAD_CPUTIME_ID) + 600000000;
	while ((busy = clock_read(CLOCK_THREAD_CPUTIME_ID)) < until) {
		while (clock_read(CLOCK_THREAD_CPUTIME_ID) < busy + 5000000)
			;
		(void)nanosleep(&nap, NULL);
	}
	assert_true(priority_is_realtime());
	priority_give_up();
	assert_false(priority_is_realtime());
}

static void test_priority__no_child_inherits_it(void **state)
{
	int status, pid;

	(void)state;
	need_realtime();
	pid = fork();
	if (pid == 0)
		_exit(priority_is_realtime() ? 1 : 0);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	priority_give_up();
}

static void *tell(void *context)
{
	int *go = context;
	uint8_t byte;

	if (read(*go, &byte, 1) != 1)
		return NULL;
	return priority_is_realtime() ? context : NULL;
}

/* A thread may share the real-time priority of a caller that waits for it. */
static void test_priority__a_thread_may_share_it(void **state)
{
	pthread_t thread;
	void *result;
	int go[2];

	(void)state;
	need_realtime();
	assert_int_equal(pipe(go), 0);
	assert_int_equal(pthread_create(&thread, NULL, tell, &go[0]), 0);
	assert_int_equal(priority_share(thread), 0);
	assert_int_equal(write(go[1], "", 1), 1);
	assert_int_equal(pthread_join(thread, &result), 0);
	assert_non_null(result);
	(void)close(go[0]);
	(void)close(go[1]);
	priority_give_up();
}

/* Without real-time priority a sampling thread is the first of the fair class. */
static void test_priority__first_of_the_fair_class(void **state)
{
	int before = getpriority(PRIO_PROCESS, 0), status, pid;

	(void)state;
	assert_false(priority_prompt(false));
	assert_int_equal(getpriority(PRIO_PROCESS, 0), before);
	if (!priority_prompt(true)) {
		assert_int_equal(getpriority(PRIO_PROCESS, 0), before);
		skip(); /* not permitted (RLIMIT_NICE, CAP_SYS_NICE) */
	}
	assert_int_equal(getpriority(PRIO_PROCESS, 0), -20);
	pid = fork();
	if (pid == 0)
		_exit(getpriority(PRIO_PROCESS, 0) == 0 ? 0 : 1);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

/* From now on the calling process may not lower its nice value. False: it could not be arranged. */
static bool lose_privilege(void)
{
	const struct rlimit none = {0, 0};
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	const struct __user_cap_data_struct nothing[_LINUX_CAPABILITY_U32S_3] = {{0}};

	return setrlimit(RLIMIT_NICE, &none) == 0 && syscall(SYS_capset, &header, nothing) == 0;
}

static void test_priority__keeps_its_nice_value_if_it_may_not_change_it(void **state)
{
	int status, before, pid = fork();

	(void)state;
	if (pid == 0) {
		(void)nice(5); /* 19 is the most */
		before = getpriority(PRIO_PROCESS, 0);
		if (!lose_privilege())
			_exit(2);
		_exit(!priority_prompt(true) && getpriority(PRIO_PROCESS, 0) == before ? 0 : 1);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_priority__a_thread_that_never_pauses_loses_it),
		cmocka_unit_test(test_priority__one_that_sleeps_keeps_it),
		cmocka_unit_test(test_priority__no_child_inherits_it),
		cmocka_unit_test(test_priority__a_thread_may_share_it),
		cmocka_unit_test(test_priority__first_of_the_fair_class),
		cmocka_unit_test(test_priority__keeps_its_nice_value_if_it_may_not_change_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
