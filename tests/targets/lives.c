/* SPDX-License-Identifier: MIT */
/*
 * Short lives.
 *
 *	lives forks N	N children, one after the other, that end at once
 *	lives execs N	calls exec N times in a row, and works for 1 ms after each
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long ran_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000L + ts.tv_nsec;
}

static void work_ms(void)
{
	long until = ran_ns() + 1000000;

	while (ran_ns() < until)
		;
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
