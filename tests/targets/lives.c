/* SPDX-License-Identifier: MIT */
/*
 * Short lives.
 *
 *	lives forks N	N children, one after the other, that end at once
 *	lives threads N	N threads, one after the other, that end at once
 *	lives execs N	calls exec N times in a row, and works for 1 ms after each
 *	lives leaders N	N children at once, with as many open files as are allowed. The main thread
 *			of each ends, which takes a while, as it closes its own table of files. A
 *			second thread, which has closed its files, ends 2.5 s later
 */
#include <linux/close_range.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/clock.h"

static void work_ms(void)
{
	uint64_t until = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + 1000000;

	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < until)
		;
}

static void *sleep_more(void *unused)
{
	const struct timespec most = {2, 500000000};

	(void)syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_UNSHARE);
	(void)nanosleep(&most, NULL);
	return unused;
}

static void lead(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, sleep_more, NULL) != 0 || unshare(CLONE_FILES) < 0)
		_exit(1);
	(void)syscall(SYS_exit, 0);
}

static void *end_at_once(void *unused)
{
	return unused;
}

int main(int argc, char **argv)
{
	long n = argc == 3 ? atol(argv[2]) : -1;
	char left[20];

	if (n >= 0 && strcmp(argv[1], "forks") == 0) {
		while (n-- > 0) {
			pid_t child = fork();

			if (child == 0)
				_exit(0);
			if (child < 0 || waitpid(child, NULL, 0) < 0)
				return 1;
		}
		return 0;
	}
	if (n >= 0 && strcmp(argv[1], "threads") == 0) {
		while (n-- > 0) {
			pthread_t thread;

			if (pthread_create(&thread, NULL, end_at_once, NULL) != 0 ||
				pthread_join(thread, NULL) != 0)
				return 1;
		}
		return 0;
	}
	if (n >= 0 && strcmp(argv[1], "leaders") == 0) {
		int status, failed = 0;

		while (dup(0) >= 0)
			;
		for (long i = 0; i < n; i++) {
			pid_t child = fork();

			if (child == 0)
				lead();
			if (child < 0)
				return 1;
		}
		while (wait(&status) > 0)
			failed |= status;
		return failed != 0;
	}
	if (n >= 0 && strcmp(argv[1], "execs") == 0) {
		work_ms();
		if (n == 0)
			return 0;
		(void)snprintf(left, sizeof(left), "%ld", n - 1);
		(void)execl("/proc/self/exe", argv[0], argv[1], left, NULL);
		return 1;
	}
	return 2;
}
