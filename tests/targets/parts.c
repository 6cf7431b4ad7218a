/* SPDX-License-Identifier: MIT */
/*
 * parts SECONDS MS: one thread that by turns sleeps for 5 to 15 ms and works for MS ms, a quarter
 * in each of four functions. Prints how long it waited for a CPU, per second of CPU time.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tests/clock.h"

/* Few clock readings: nearly all time is own code. @number keeps the functions from merging. */
#define PART(name, number)                                                       \
	__attribute__((noinline)) static void name(uint64_t until_ns)            \
	{                                                                        \
		do                                                               \
			for (volatile unsigned i = 0; i < 20000 + (number); i++) \
				;                                                \
		while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < until_ns);            \
	}

PART(part0, 0)
PART(part1, 1)
PART(part2, 2)
PART(part3, 3)

static void print_waiting(void)
{
	FILE *file = fopen("/proc/thread-self/schedstat", "r");
	uint64_t run = 0, wait = 0;

	if (file && fscanf(file, "%" SCNu64 " %" SCNu64, &run, &wait) == 2 && run)
		printf("%.4f\n", (double)wait / (double)run);
	if (file)
		(void)fclose(file);
}

int main(int argc, char **argv)
{
	uint64_t over = clock_ns(CLOCK_MONOTONIC) +
		(argc > 1 ? strtoull(argv[1], NULL, 10) : 1) * 1000000000;
	uint64_t quarter = (argc > 2 ? strtoull(argv[2], NULL, 10) : 4) * 250000;

	while (clock_ns(CLOCK_MONOTONIC) < over) {
		struct timespec nap = {0, 5000000 + rand() % 10000 * 1000};
		uint64_t from = clock_ns(CLOCK_THREAD_CPUTIME_ID);

		part0(from + quarter);
		part1(from + 2 * quarter);
		part2(from + 3 * quarter);
		part3(from + 4 * quarter);
		(void)nanosleep(&nap, NULL);
	}
	print_waiting();
	return 0;
}
