/* SPDX-License-Identifier: MIT */
/* A thread with priority that takes most of a CPU loses it for a while. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "supervisor/os/priority.h"
#include "tests/refuse_call.h"

#define MS         UINT64_C(1000000)
#define PATIENT_NS (20000 * MS)

static void test_realtime__it_is_given_up_and_comes_back(void **state)
{
	const struct timespec moment = {0, 20000000};
	struct realtime realtime = {0};
	uint64_t until = clock_now() + PATIENT_NS, began;

	(void)state;
	realtime_begin(&realtime, true);
	if (!realtime.has)
		skip(); /* real-time priority is not permitted */
	assert_true(priority_is_realtime());
	/* A thread that mostly sleeps keeps its priority. */
	for (unsigned i = 0; i < 20; i++) {
		assert_int_equal(nanosleep(&moment, NULL), 0);
		assert_false(realtime_watch(&realtime, clock_now()));
	}
	began = clock_now();
	while (!realtime_watch(&realtime, clock_now()))
		assert_true(clock_now() < until);
	/* Within the first 0.1 s the priority stays: a hypervisor may have taken that time. */
	assert_true(clock_now() - began > 100 * MS);
	assert_false(realtime.has);
	assert_false(priority_is_realtime());
	do {
		assert_int_equal(nanosleep(&moment, NULL), 0);
		assert_true(clock_now() < until);
	} while (!realtime_watch(&realtime, clock_now()));
	assert_true(realtime.has);
	assert_true(priority_is_realtime());
	priority_give_up();
}

/*
 * Runs in a child: it is refused real time, and takes nice -20. Its own CPU time passes for the
 * time, so that it uses a whole CPU on any machine. Exits with 0 if it cannot begin.
 */
static void be_first(void)
{
	struct realtime realtime = {0};
	bool permitted = priority_prompt(true);
	uint64_t now = 0;

	if (setpriority(PRIO_PROCESS, 0, 5) < 0 || refuse_call(SYS_sched_setscheduler) < 0)
		_exit(0);
	realtime_begin(&realtime, true);
	if (!realtime.first)
		_exit(realtime.has || permitted ? 2 : 0);
	while (!realtime_watch(&realtime, now = clock_read(CLOCK_THREAD_CPUTIME_ID)))
		if (now > 2000 * MS)
			_exit(3);
	if (realtime.first || getpriority(PRIO_PROCESS, 0) != 5)
		_exit(4);
	/* It has slept since. */
	if (!realtime_watch(&realtime, now + PATIENT_NS))
		_exit(5);
	_exit(realtime.first && getpriority(PRIO_PROCESS, 0) == -20 ? 1 : 6);
}

/* Beside a busy thread of nice -20, others have a hundredth of the CPU. */
static void test_realtime__so_is_nice_20(void **state)
{
	int status, pid = fork();

	(void)state;
	if (pid == 0)
		be_first();
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 0)
		skip(); /* not permitted, or no filters here */
	assert_int_equal(WEXITSTATUS(status), 1);
}

static void test_realtime__who_does_not_want_it_never_has_it(void **state)
{
	struct realtime realtime = {0};

	(void)state;
	realtime_begin(&realtime, false);
	assert_false(realtime.has);
	assert_false(realtime_watch(&realtime, clock_now()));
	assert_false(priority_is_realtime());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_realtime__it_is_given_up_and_comes_back),
		cmocka_unit_test(test_realtime__so_is_nice_20),
		cmocka_unit_test(test_realtime__who_does_not_want_it_never_has_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
