/* SPDX-License-Identifier: MIT */
/*
 * sleepers N SECONDS: N threads that sleep in pause(), and one that uses SECONDS of CPU time.
 * Prints the sleepers' context switches of both kinds since they fell asleep: 0, as no sleeper may
 * be stopped.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static _Atomic int tids[1024];

static void *sleep_on(void *slot)
{
	*(_Atomic int *)slot = (int)syscall(SYS_gettid);
	for (;;)
		(void)pause();
	return NULL;
}

static long switches(int tid)
{
	char path[64], line[128];
	long sum = 0, n;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	file = fopen(path, "re");
	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "voluntary_ctxt_switches: %ld", &n) == 1 ||
			sscanf(line, "nonvoluntary_ctxt_switches: %ld", &n) == 1)
			sum += n;
	}
	(void)fclose(file);
	return sum;
}

static bool is_asleep(int tid)
{
	char path[64];
	long call = -1;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	if (fscanf(file, "%ld", &call) != 1)
		call = -1; /* "running" */
	(void)fclose(file);
#ifdef SYS_pause
	return call == SYS_pause;
#else
	return call == SYS_ppoll;
#endif
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100;
	double seconds = argc > 2 ? atof(argv[2]) : 1;
	static long before[1024];
	volatile unsigned x = 0;
	struct timespec ts = {0, 1000000};
	long woken = 0;

	for (int i = 0; i < n && i < 1024; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, sleep_on, &tids[i]))
			return 99;
	}
	for (int i = 0; i < n && i < 1024; i++) {
		for (int rounds = 0; !tids[i] || !is_asleep(tids[i]); rounds++) {
			if (rounds == 20000)
				return 98;
			(void)nanosleep(&ts, NULL);
		}
		before[i] = switches(tids[i]);
	}
	do {
		for (unsigned i = 0; i < 100000; i++)
			x = x + i;
		(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	} while ((double)ts.tv_sec + (double)ts.tv_nsec / 1e9 < seconds);
	for (int i = 0; i < n && i < 1024; i++)
		woken += switches(tids[i]) - before[i];
	printf("%ld\n", woken);
	return 0;
}
