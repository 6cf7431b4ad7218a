/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "supervisor/os/waiter.h"

/* Despite an earlier stop, a death is seen, again and again until it is taken. */
static void test_waiter__sees_a_death_until_it_is_taken(void **state)
{
	pid_t stopped = fork(), dead;
	struct waiter_result seen;
	siginfo_t info;

	(void)state;
	assert_true(stopped >= 0);
	if (stopped == 0) {
		(void)raise(SIGSTOP);
		_exit(3);
	}
	assert_int_equal(waitid(P_PID, (id_t)stopped, &info, WSTOPPED | WNOWAIT), 0);
	assert_int_equal(waiter_peek(stopped, &seen), 0);
	assert_int_equal(seen.kind, WAITER_FOREIGN);

	dead = fork();
	assert_true(dead >= 0);
	if (dead == 0)
		_exit(7);
	assert_int_equal(waitid(P_PID, (id_t)dead, &info, WEXITED | WNOWAIT), 0);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(waiter_peek(dead, &seen), 0);
		assert_int_equal(seen.kind, WAITER_GONE);
		assert_int_equal(seen.tid, dead);
		assert_int_equal(WEXITSTATUS(seen.status), 7);
	}
	assert_int_equal(waiter_take(dead), 0);
	assert_int_equal(waiter_peek(dead, &seen), -ECHILD);
	assert_int_equal(kill(stopped, SIGKILL), 0);
	assert_int_equal(waitpid(stopped, NULL, 0), stopped);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_waiter__sees_a_death_until_it_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
