/* SPDX-License-Identifier: MIT */
/*
 * many threads N MS: N threads that work, together for MS ms of CPU time.
 *
 * many processes N MS: N children, which work for a short time and then sleep; when all sleep, the
 * parent works for MS ms of CPU time, and ends them.
 *
 * many births N 0: N threads and N children, one after the other, that live for a short time.
 *
 * Prints the CPU time of the process in ns (children that were waited for included).
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/clock.h"

static uint64_t end_ns;

static void *work(void *context)
{
	(void)context;
	while (clock_ns(CLOCK_PROCESS_CPUTIME_ID) < end_ns)
		;
	return NULL;
}

static void *nothing(void *context)
{
	return context;
}

static int threads(unsigned n)
{
	pthread_t *thread = calloc(n, sizeof(*thread));
	pthread_attr_t attributes;

	(void)pthread_attr_init(&attributes);
	(void)pthread_attr_setstacksize(&attributes, 65536);
	for (unsigned i = 0; i < n; i++) {
		if (pthread_create(&thread[i], &attributes, work, NULL))
			return 1;
	}
	for (unsigned i = 0; i < n; i++)
		(void)pthread_join(thread[i], NULL);
	free(thread);
	return 0;
}

static int processes(unsigned n)
{
	pid_t *pid = calloc(n, sizeof(*pid));
	int ready[2], status;
	char c;

	if (pipe(ready) < 0)
		return 1;
	for (unsigned i = 0; i < n; i++) {
		pid[i] = fork();
		if (pid[i] < 0)
			return 1;
		if (pid[i] == 0) {
			(void)!write(ready[1], "r", 1);
			for (;;)
				(void)pause();
		}
	}
	for (unsigned i = 0; i < n; i++)
		(void)!read(ready[0], &c, 1);
	(void)work(NULL);
	for (unsigned i = 0; i < n; i++) {
		(void)kill(pid[i], SIGKILL);
		if (waitpid(pid[i], &status, 0) != pid[i] || status != SIGKILL)
			return 1;
	}
	free(pid);
	return 0;
}

static int births(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		pthread_t thread;
		int status;
		pid_t pid = fork();

		if (pid == 0)
			_exit(3);
		if (pid < 0 || pthread_create(&thread, NULL, nothing, NULL))
			return 1;
		(void)pthread_join(thread, NULL);
		if (waitpid(pid, &status, 0) != pid || status != 3 << 8)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	unsigned n = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
	struct rusage children;
	int r;

	end_ns = argc > 3 ? strtoul(argv[3], NULL, 10) * UINT64_C(1000000) : 0;
	r = strcmp(mode, "threads") == 0         ? threads(n)
		: strcmp(mode, "processes") == 0 ? processes(n)
						 : births(n);
	(void)getrusage(RUSAGE_CHILDREN, &children);
	(void)printf("%llu\n",
		(unsigned long long)clock_ns(CLOCK_PROCESS_CPUTIME_ID) +
			(unsigned long long)(children.ru_utime.tv_sec + children.ru_stime.tv_sec) *
				1000000000 +
			(unsigned long long)(children.ru_utime.tv_usec +
				children.ru_stime.tv_usec) *
				1000);
	return r;
}
