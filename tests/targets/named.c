/* SPDX-License-Identifier: MIT */
/*
 * named SECONDS [STATUS]: four threads of SECONDS of CPU time each. Threads work-0 and work-1 run
 * chosen(), rest-0 runs other(). The fourth is named "changing" and runs other(), then, in its
 * second half, is named "work-late" and runs chosen(). Prints the CPU time of the process in ns.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/clock.h"

static double seconds;

/* Few clock readings: nearly all time is own code. @step keeps the functions from merging. */
#define SPIN(name, step)                                           \
	static __attribute__((noinline)) void name(double until)   \
	{                                                          \
		volatile unsigned x = 0;                           \
                                                                   \
		while (clock_s(CLOCK_THREAD_CPUTIME_ID) < until) { \
			for (unsigned i = 0; i < 100000; i++)      \
				x = x + i * step;                  \
		}                                                  \
	}
SPIN(chosen, 3)
SPIN(other, 5)

static void *work(void *context)
{
	const char *name = context;

	(void)pthread_setname_np(pthread_self(), name);
	if (strcmp(name, "changing") == 0) {
		other(seconds / 2);
		(void)pthread_setname_np(pthread_self(), "work-late");
	}
	if (strcmp(name, "rest-0") == 0)
		other(seconds);
	else
		chosen(seconds);
	return NULL;
}

int main(int argc, char **argv)
{
	static char names[][16] = {"work-0", "work-1", "rest-0", "changing"};
	pthread_t thread[4];

	seconds = argc > 1 ? atof(argv[1]) : 1;
	for (size_t i = 0; i < 4; i++) {
		if (pthread_create(&thread[i], NULL, work, names[i]))
			return 99;
	}
	for (size_t i = 0; i < 4; i++)
		(void)pthread_join(thread[i], NULL);
	(void)printf("%.0f\n", clock_s(CLOCK_PROCESS_CPUTIME_ID) * 1e9);
	return argc > 2 ? atoi(argv[2]) : 0;
}
