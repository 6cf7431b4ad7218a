/* SPDX-License-Identifier: MIT */
/* Children: their descriptors, and the signals that are blocked in them. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/child.h"

static void test_child__has_the_given_descriptors(void **state)
{
	static const char *const argv[] = {"/bin/sed", "-n", "-e1p", "-es/^SigBlk:[^0-9a-f]*//p",
		"/dev/fd/3", "/proc/self/status", NULL};
	int to[2], from[2], fd[3];
	char word[16];
	unsigned long blocked;
	pid_t pid;
	FILE *out;

	(void)state;
	assert_int_equal(pipe2(to, O_CLOEXEC), 0);
	assert_int_equal(pipe2(from, O_CLOEXEC), 0);
	assert_int_equal(child_lift(&to[0], 9), 0);
	assert_int_equal(child_lift(&from[1], 9), 0);
	assert_true(to[0] >= 9 && from[1] >= 9);
	fd[0] = from[1];
	fd[1] = -1;
	fd[2] = to[0];
	assert_int_equal(write(to[1], "heard\n", 6), 6);
	(void)close(to[1]);
	assert_int_equal(child_start(argv, fd, 3, STDOUT_FILENO, &pid), 0);
	(void)close(from[1]);
	out = fdopen(from[0], "r");
	assert_non_null(out);
	assert_int_equal(fscanf(out, "%15s %lx", word, &blocked), 2);
	assert_string_equal(word, "heard");
	assert_true(blocked >> (SIGINT - 1) & 1 && blocked >> (SIGUSR2 - 1) & 1);
	assert_false(blocked >> (SIGCHLD - 1) & 1);
	assert_int_equal(child_join(pid), 0);
	(void)fclose(out);
	(void)close(to[0]);
}

static void test_child__lifts_only_what_is_below(void **state)
{
	struct rlimit limit;
	int fd = -1, high;

	(void)state;
	assert_int_equal(child_lift(&fd, 9), 0);
	assert_int_equal(fd, -1);
	fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert_int_equal(child_lift(&fd, 20), 0);
	high = fd;
	assert_true(high >= 20 && fcntl(high, F_GETFD) & FD_CLOEXEC);
	assert_int_equal(child_lift(&fd, 10), 0);
	assert_int_equal(fd, high);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(child_lift(&fd, (int)limit.rlim_cur), -EMFILE);
	assert_int_equal(fd, high);
	(void)close(fd);
}

static void test_child__is_missing(void **state)
{
	static const char *const argv[] = {"/nowhere/program", NULL};
	pid_t pid;

	(void)state;
	assert_int_equal(child_start(argv, NULL, 0, 0, &pid), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_child__has_the_given_descriptors),
		cmocka_unit_test(test_child__lifts_only_what_is_below),
		cmocka_unit_test(test_child__is_missing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
