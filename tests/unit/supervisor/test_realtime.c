/* SPDX-License-Identifier: MIT */
/* A real-time thread that takes most of a CPU loses its priority for a while. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <time.h>
#include <cmocka.h>

#include "base/clock.h"
#include "supervisor/os/priority.h"

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
		cmocka_unit_test(test_realtime__who_does_not_want_it_never_has_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
