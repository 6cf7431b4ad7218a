/* SPDX-License-Identifier: MIT */
/*
 * busy THREADS SECONDS [STATUS [usr1]]: each thread uses SECONDS of CPU time; exits with STATUS.
 * With usr1, SIGUSR1 ends the work early.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/clock.h"

static double seconds;
static volatile sig_atomic_t enough;

static void end_work(int signal_number)
{
	(void)signal_number;
	enough = 1;
}

static void *spin(void *unused)
{
	volatile unsigned x = 0;

	(void)unused;
	while (!enough && clock_s(CLOCK_THREAD_CPUTIME_ID) < seconds) {
		for (unsigned i = 0; i < 100000; i++)
			x = x + i;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t thread[256];

	seconds = argc > 2 ? atof(argv[2]) : 1;
	if (argc > 4 && strcmp(argv[4], "usr1") == 0)
		(void)signal(SIGUSR1, end_work);
	for (int i = 1; i < threads && i < 256; i++) {
		if (pthread_create(&thread[i], NULL, spin, NULL))
			return 99;
	}
	(void)spin(NULL);
	for (int i = 1; i < threads && i < 256; i++)
		(void)pthread_join(thread[i], NULL);
	return argc > 3 ? atoi(argv[3]) : 0;
}
