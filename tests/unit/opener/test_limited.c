/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "opener/limited.h"

#define SHORT_NS UINT64_C(1000000)
#define LONG_NS  UINT64_C(1000000000000)
#define HELD     7 /* pid of requests that are held up */

/* Answers about HELD wait for @go_on, like those of a file system that hangs. */
struct held {
	sem_t go_on;
	int fd; /* descriptor to which answers are written */
};

static void answer(
	void *context, pid_t sender, const struct opening *what, struct opened *ret_opened)
{
	struct held *held = context;

	assert_int_equal(sender, 1);
	while (what->pid == HELD && sem_wait(&held->go_on) != 0)
		;
	*ret_opened = (struct opened){
		.sequence = what->sequence, .fd = fcntl(held->fd, F_DUPFD_CLOEXEC, 3)};
	strcpy(ret_opened->text, what->path);
}

static struct opened ask(struct limited *limited, uint32_t pid)
{
	static uint32_t sequence;
	struct opening what = {.sequence = ++sequence, .pid = pid, .path = "/x"};
	struct opened opened;

	limited_answer(limited, 1, &what, &opened);
	assert_int_equal(opened.sequence, sequence);
	return opened;
}

static void assert_answered(struct limited *limited)
{
	struct opened opened;

	limited->wait_ns = LONG_NS;
	opened = ask(limited, 0);
	assert_int_equal(opened.error, 0);
	assert_string_equal(opened.text, "/x");
	assert_int_equal(close(opened.fd), 0);
}

static void assert_given_up(struct limited *limited)
{
	struct opened opened;

	limited->wait_ns = SHORT_NS;
	opened = ask(limited, HELD);
	assert_int_equal(opened.error, -ETIMEDOUT);
	assert_int_equal(opened.fd, -1);
}

static void test_limited__goes_on_without_what_does_not_come(void **state)
{
	struct held held;
	struct limited limited = {.answer = answer, .context = &held};
	int pair[2];
	char byte;

	(void)state;
	assert_int_equal(sem_init(&held.go_on, 0, 0), 0);
	assert_int_equal(pipe2(pair, O_CLOEXEC), 0);
	held.fd = pair[1];
	assert_int_equal(limited_init(&limited, LONG_NS), 0);
	assert_answered(&limited);
	assert_false(limited_is_behind(&limited));
	for (unsigned i = 0; i < LIMITED_MOST; i++) {
		assert_given_up(&limited);
		if (i + 1 < LIMITED_MOST)
			assert_answered(&limited);
	}
	/* As many requests wait as may: nothing more is asked. */
	assert_int_equal(ask(&limited, 0).error, -ETIMEDOUT);
	for (unsigned i = 0; i < LIMITED_MOST; i++)
		assert_int_equal(sem_post(&held.go_on), 0);
	while (limited_is_behind(&limited))
		(void)sched_yield();
	assert_answered(&limited);
	/* Closing the connection closes the descriptors in its answers. */
	assert_int_equal(close(pair[1]), 0);
	assert_int_equal(read(pair[0], &byte, 1), 0);
	assert_int_equal(close(pair[0]), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_limited__goes_on_without_what_does_not_come),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
