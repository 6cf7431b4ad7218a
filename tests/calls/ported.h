/* SPDX-License-Identifier: MIT */
/*
 * For programs written for another sprofil() or profil(): nothing here depends on this project. A
 * program ends with 0 if its histogram is right.
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

/* Defines a function that is nearly always in its own code: 100,000 rounds per clock reading. */
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
 * Is @count plausible where @ticks ticks are expected? Allows an error of 3 for the incomplete
 * first and last tick, or 6 standard deviations of a Poisson number; the counts of a preempted
 * thread scatter less. Fails by chance in fewer than 1e-8 of the checks.
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
