/* SPDX-License-Identifier: MIT */
/*
 * bursts SECONDS: a hundred threads that work now and then, half of them 0.5 ms at a time in f0,
 * the others 3 ms in f1. Prints f0's share of the CPU time, by the threads' own clocks.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/clock.h"

enum { THREADS = 100, STACK_BYTES = 65536 };

static atomic_uint_fast64_t spent_ns[2];
static atomic_bool over;

/* Both functions read the clock rarely: nearly all of their time is in their own code. */
#define WORK(name, time_ns)                                                     \
	__attribute__((noinline)) static void name(void)                        \
	{                                                                       \
		uint64_t until = clock_ns(CLOCK_THREAD_CPUTIME_ID) + (time_ns); \
                                                                                \
		do                                                              \
			for (volatile unsigned i = 0; i < 20000; i++)           \
				;                                               \
		while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until);              \
	}

WORK(f0, 500000)
WORK(f1, 3000000)

static void *run(void *context)
{
	unsigned kind = (unsigned)(uintptr_t)context % 2, seed = (unsigned)(uintptr_t)context;

	while (!over) {
		struct timespec nap = {0, 0};
		uint64_t from = clock_ns(CLOCK_THREAD_CPUTIME_ID);

		(kind ? f1 : f0)();
		spent_ns[kind] += clock_ns(CLOCK_THREAD_CPUTIME_ID) - from;
		/* The sleeps give both kinds equal CPU time on average. */
		nap.tv_nsec = (long)(rand_r(&seed) % 1800 + 1) * (kind ? 540000 : 90000);
		(void)nanosleep(&nap, NULL);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct timespec time = {argc > 1 ? atoi(argv[1]) : 5, 0};
	pthread_t thread[THREADS];
	pthread_attr_t attributes;

	(void)pthread_attr_init(&attributes);
	(void)pthread_attr_setstacksize(&attributes, STACK_BYTES);
	for (unsigned i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], &attributes, run, (void *)(uintptr_t)i))
			return 1;
	(void)nanosleep(&time, NULL);
	over = true;
	for (unsigned i = 0; i < THREADS; i++)
		(void)pthread_join(thread[i], NULL);
	printf("%.4f\n", (double)spent_ns[0] / (double)(spent_ns[0] + spent_ns[1]));
	return 0;
}
