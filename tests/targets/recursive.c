/* SPDX-License-Identifier: MIT */
/*
 * recursive DEPTH SECONDS [wait]: burns CPU time at the bottom of a recursion. Each frame has 240
 * bytes or more, and no frame pointer. Every stack is burn, descend (DEPTH times), main, and those
 * of libc. "wait": then sleeps in burn, in pause or its substitute.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "tests/clock.h"

static volatile uint64_t sink;
static int waits;

__attribute__((noinline)) static void burn(double until)
{
	do {
		for (unsigned i = 0; i < 100000; i++)
			sink += i * i;
	} while (clock_s(CLOCK_PROCESS_CPUTIME_ID) < until);
	while (waits)
		(void)pause();
}

__attribute__((noinline)) static uint64_t descend(unsigned depth, double until)
{
	volatile uint8_t local[240];

	local[depth % sizeof(local)] = (uint8_t)depth;
	if (depth <= 1)
		burn(until);
	else
		sink += descend(depth - 1, until);
	return local[(depth + 1) % sizeof(local)] + sink;
}

int main(int argc, char **argv)
{
	unsigned depth = argc > 1 ? (unsigned)atoi(argv[1]) : 30;
	double seconds = argc > 2 ? atof(argv[2]) : 1;

	waits = argc > 3;
	(void)printf("%u\n", (unsigned)descend(depth, seconds) & 1);
	return 0;
}
