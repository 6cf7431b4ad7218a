/* SPDX-License-Identifier: MIT */
/*
 * thread_times N: thread i of N works for i times 0.1 ms of CPU time, the main thread for 0.2 s.
 * Prints the tid of each, and its CPU time in ns by its own clock.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/clock.h"

struct worker {
	pthread_t thread;
	uint64_t work_ns, used_ns;
	long tid;
};

static void *work(void *context)
{
	struct worker *worker = context;

	worker->tid = syscall(SYS_gettid);
	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < worker->work_ns)
		;
	worker->used_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned n = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	struct worker *worker = calloc(n + 1, sizeof(*worker));

	if (!worker)
		return 1;
	for (unsigned i = 1; i <= n; i++) {
		worker[i].work_ns = i * UINT64_C(100000);
		if (pthread_create(&worker[i].thread, NULL, work, &worker[i]))
			return 1;
	}
	for (unsigned i = 1; i <= n; i++)
		(void)pthread_join(worker[i].thread, NULL);
	worker[0].work_ns = 200000000;
	(void)work(&worker[0]);
	for (unsigned i = 0; i <= n; i++)
		printf("%ld %llu\n", worker[i].tid, (unsigned long long)worker[i].used_ns);
	free(worker);
	return 0;
}
