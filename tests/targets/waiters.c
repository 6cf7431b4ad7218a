/* SPDX-License-Identifier: MIT */
/*
 * Threads that wait in known ways: waiters SECONDS [SHAPE=N]...
 *
 *	sleep	asleep in nanosleep, below nap()
 *	read	blocked in read from a pipe, below gulp()
 *	futex	blocked in pthread_cond_wait, below await()
 *	busy	computes, below burn()
 *	mixed	takes turns: 10 ms of burn(), 30 ms of nap()
 *	short	the same with 0.2 ms and 0.6 ms
 *
 * Each thread is named by its shape and number, and prints the figures of its time when it ends:
 * "NAME elapsed_ns cpu_ns queue_ns errors before_ns", by CLOCK_MONOTONIC, CLOCK_THREAD_CPUTIME_ID
 * and its own schedstat; errors is the number of calls that failed, mostly with EINTR; before_ns is
 * its run queue time when its clock began. The word "hide" makes /proc/…/syscall unreadable for
 * others.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tests/clock.h"

#define NOINLINE     __attribute__((noinline))
#define THREADS_MOST 8192

static uint64_t end_at;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t over = PTHREAD_COND_INITIALIZER;
static int is_over, pipes[2];
static volatile uint64_t sink;

NOINLINE static unsigned nap(uint64_t ns)
{
	struct timespec ts = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

	return nanosleep(&ts, NULL) != 0;
}

NOINLINE static unsigned gulp(void)
{
	volatile char buffer[4000];

	buffer[0] = 0;
	return read(pipes[0], (char *)buffer, sizeof(buffer)) < 0;
}

NOINLINE static unsigned await(void)
{
	int r = 0;

	(void)pthread_mutex_lock(&lock);
	while (!is_over && !r)
		r = pthread_cond_wait(&over, &lock);
	(void)pthread_mutex_unlock(&lock);
	return r != 0;
}

NOINLINE static unsigned burn(uint64_t ns)
{
	uint64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	do {
		for (unsigned i = 0; i < 2000; i++)
			sink += i;
	} while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end && clock_ns(CLOCK_MONOTONIC) < end_at);
	return 0;
}

static uint64_t left(void)
{
	uint64_t at = clock_ns(CLOCK_MONOTONIC);

	return at < end_at ? end_at - at : 0;
}

static unsigned take_turns(uint64_t run_ns, uint64_t sleep_ns)
{
	unsigned errors = 0;

	while (left()) {
		(void)burn(run_ns);
		errors += nap(sleep_ns < left() ? sleep_ns : left());
	}
	return errors;
}

NOINLINE static unsigned live(const char *shape)
{
	unsigned errors = 0;

	if (strcmp(shape, "sleep") == 0)
		errors = nap(left());
	else if (strcmp(shape, "read") == 0)
		errors = gulp();
	else if (strcmp(shape, "futex") == 0)
		errors = await();
	else if (strcmp(shape, "mixed") == 0)
		errors = take_turns(10000000, 30000000);
	else if (strcmp(shape, "short") == 0)
		errors = take_turns(200000, 600000);
	else
		errors = burn(UINT64_MAX / 2);
	return errors;
}

static uint64_t queue_ns(void)
{
	char path[64], text[128] = "";
	unsigned long long run, wait = 0;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/self/task/%ld/schedstat", syscall(SYS_gettid));
	file = fopen(path, "r");
	if (file && fgets(text, sizeof(text), file))
		(void)sscanf(text, "%llu %llu", &run, &wait);
	if (file)
		(void)fclose(file);
	return wait;
}

static void *thread(void *name)
{
	uint64_t begin, end, before;
	char shape[16];
	unsigned errors;

	(void)pthread_setname_np(pthread_self(), name);
	(void)snprintf(shape, sizeof(shape), "%s", (const char *)name);
	shape[strcspn(shape, "-")] = '\0';
	before = queue_ns();
	begin = clock_ns(CLOCK_MONOTONIC);
	errors = live(shape);
	end = clock_ns(CLOCK_MONOTONIC);
	(void)printf("%s %llu %llu %llu %u %llu\n", (const char *)name,
		(unsigned long long)(end - begin),
		(unsigned long long)clock_ns(CLOCK_THREAD_CPUTIME_ID),
		(unsigned long long)(queue_ns() - before), errors, (unsigned long long)before);
	return NULL;
}

int main(int argc, char **argv)
{
	static pthread_t id[THREADS_MOST];
	static char name[THREADS_MOST][16];
	unsigned n = 0;

	if (argc < 3 || pipe(pipes))
		return 2;
	end_at = clock_ns(CLOCK_MONOTONIC) + (uint64_t)(atof(argv[1]) * 1e9);
	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "hide") == 0) {
			(void)prctl(PR_SET_DUMPABLE, 0);
			continue;
		}
		size_t length = strcspn(argv[i], "=");
		unsigned count = argv[i][length] ? (unsigned)atoi(argv[i] + length + 1) : 1;

		for (unsigned k = 0; k < count && n < THREADS_MOST; k++, n++) {
			(void)snprintf(name[n], sizeof(name[n]), "%.8s-%u", argv[i], k % 10000);
			if (argv[i][length] && length < 8)
				(void)snprintf(name[n], sizeof(name[n]), "%.*s-%u", (int)length,
					argv[i], k % 10000);
			if (pthread_create(&id[n], NULL, thread, name[n]))
				return 1;
		}
	}
	(void)nap(left());
	(void)pthread_mutex_lock(&lock);
	is_over = 1;
	(void)pthread_cond_broadcast(&over);
	(void)pthread_mutex_unlock(&lock);
	(void)close(pipes[1]);
	for (unsigned i = 0; i < n; i++)
		(void)pthread_join(id[i], NULL);
	return 0;
}
