/* SPDX-License-Identifier: MIT */
/*
 * lockstep THREADS SECONDS: for SECONDS of wall time, a timer wakes each thread for a tenth of each
 * millisecond. A sampler in phase with the timer would find the threads on CPU always or never.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "tests/clock.h"

static double seconds;

static void *step(void *unused)
{
	uint64_t next = clock_ns(CLOCK_MONOTONIC) / 1000000 * 1000000,
		 end = next + (uint64_t)(seconds * 1e9);

	(void)unused;
	while (next < end) {
		struct timespec ts;
		uint64_t until;

		next += 1000000;
		ts.tv_sec = (time_t)(next / 1000000000);
		ts.tv_nsec = (long)(next % 1000000000);
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL))
			;
		for (until = clock_ns(CLOCK_MONOTONIC) + 100000; clock_ns(CLOCK_MONOTONIC) < until;)
			;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t thread[64];

	seconds = argc > 2 ? atof(argv[2]) : 1;
	for (int i = 1; i < threads && i < 64; i++) {
		if (pthread_create(&thread[i], NULL, step, NULL))
			return 99;
	}
	(void)step(NULL);
	for (int i = 1; i < threads && i < 64; i++)
		(void)pthread_join(thread[i], NULL);
	return 0;
}
