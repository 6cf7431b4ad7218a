/* SPDX-License-Identifier: MIT */
/*
 * For programs as they were written for an sprofil() or profil() of others: nothing here knows of
 * sprofil. They end with 0 when their histogram is right.
 */
#ifndef TESTS_PORTED_H
#define TESTS_PORTED_H

#include <stddef.h>
#include <stdio.h>
#include <time.h>

#define BURN_SECONDS 0.2

static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

/* A function that mostly stands in itself: it reads the clock every 100,000 rounds or so. */
#define PORTED_LOOP(name)                                               \
	__attribute__((noinline, aligned(64))) static double name(void) \
	{                                                               \
		double start = cpu_seconds(), used;                     \
                                                                        \
		do {                                                    \
			for (volatile unsigned i = 0; i < 100000; i++)  \
				;                                       \
			used = cpu_seconds() - start;                   \
		} while (used < BURN_SECONDS);                          \
		return used;                                            \
	}

/*
 * Is @count what @ticks ticks leave? 3 for the ends, and 6 standard deviations of a Poisson number,
 * which is more than the sampling of a thread that is preempted by others leaves: a false alarm in
 * less than 1e-8 of the checks.
 */
static int ported_about(const char *what, double count, double ticks)
{
	double off = count - ticks;
	int good = off * off <= 36 * ticks + 9 || (off < 3 && off > -3);

	if (!good)
		fprintf(stderr, "%s: %.0f counts for %.1f ticks\n", what, count, ticks);
	return good;
}

#endif
