/* SPDX-License-Identifier: MIT */
/*
 * A program as written for HP-UX: two functions with a histogram each, in 64-bit counters, which do
 * not overflow, and an overflow bin for all other code.
 *
 *	cc hpux_sprofil.c $(pkg-config --cflags --libs sprofil-hpux)
 */
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define TEXT     256     /* bytes of text in a region, from the function's start on */
#define SCALE    0x20000 /* PROF_UINT64: a counter for each 4 bytes of text */
#define COUNTERS (TEXT / 4)

static uint64_t square_hits[COUNTERS], cube_hits[COUNTERS], elsewhere;
static volatile unsigned long sink;

/* Not constant: a compiler may make a copy of a function for a constant argument (-O3). */
static volatile unsigned long turns = 100000;

__attribute__((noinline, aligned(TEXT))) static void square(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink = i * i;
}

__attribute__((noinline, aligned(TEXT))) static void cube(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink = i * i * i;
}

static unsigned long long total(const uint64_t *hits)
{
	unsigned long long sum = 0;

	for (int i = 0; i < COUNTERS; i++)
		sum += hits[i];
	return sum;
}

int main(void)
{
	struct prof region[3] = {
		{square_hits, sizeof(square_hits), (void *)square, SCALE},
		{cube_hits, sizeof(cube_hits), (void *)cube, SCALE},
		{&elsewhere, sizeof(elsewhere), NULL, 2}, /* overflow bin: must be last */
	};
	struct timeval tick;
	clock_t end;

	if (sysconf(_SC_PROFIL_MAX) < 3 || sprofil(region, 3, &tick, PROF_UINT64) == -1) {
		perror("sprofil");
		return EXIT_FAILURE;
	}
	end = clock() + CLOCKS_PER_SEC / 2;
	while (clock() < end) {
		square(turns);
		cube(3 * turns);
	}
	if (sprofil(NULL, 0, NULL, 0) == -1) {
		perror("sprofil");
		return EXIT_FAILURE;
	}
	printf("square %llu, cube %llu, elsewhere %llu ticks of %ld us\n", total(square_hits),
		total(cube_hits), (unsigned long long)elsewhere, (long)tick.tv_usec);
	return total(cube_hits) > total(square_hits) ? EXIT_SUCCESS : EXIT_FAILURE;
}
