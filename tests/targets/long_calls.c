/* SPDX-License-Identifier: MIT */
/*
 * long_calls ROUNDS MIB: in each round maps MIB MiB of memory with all pages, unmaps them, and
 * works as long in its own code. Prints the share of CPU time spent in these calls, in percent.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "tests/clock.h"

__attribute__((noinline)) static void work(long turns)
{
	for (volatile long i = 0; i < turns; i++)
		;
}

int main(int argc, char **argv)
{
	long rounds = argc > 2 ? atol(argv[1]) : 0;
	size_t bytes = argc > 2 ? (size_t)atol(argv[2]) << 20 : 0;
	double calls = 0, own = 0, before, between;

	if (rounds <= 0 || bytes == 0)
		return 2;
	while (rounds-- > 0) {
		void *memory;

		before = clock_s(CLOCK_THREAD_CPUTIME_ID);
		memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		if (memory == MAP_FAILED || munmap(memory, bytes) < 0)
			return 1;
		between = clock_s(CLOCK_THREAD_CPUTIME_ID);
		do
			work(500000);
		while (clock_s(CLOCK_THREAD_CPUTIME_ID) - between < between - before);
		calls += between - before;
		own += clock_s(CLOCK_THREAD_CPUTIME_ID) - between;
	}
	(void)printf("%.2f\n", 100 * calls / (calls + own));
	return 0;
}
