/* SPDX-License-Identifier: MIT */
/*
 * A program as written for AIX: profil() with an array of ranges, whose scales are computed; then
 * the form that counts all of the program's time in one short.
 *
 *	cc aix_monitor.c $(pkg-config --cflags --libs sprofil-aix)
 */
#include <mon.h>
#include <stdio.h>
#include <stdlib.h>

#define TEXT 256

static volatile unsigned long sink;

__attribute__((noinline, aligned(TEXT))) static void work(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink = i ^ (i << 3);
}

int main(void)
{
	static short buffer[TEXT / 4];
	short clock_ticks = 0;
	struct prof range[2] = {
		{(daddr_t)work, (daddr_t)work + TEXT, buffer, sizeof(buffer), -1},
		{0, 0, NULL, 0, 0}, /* p_high 0 ends the array */
	};
	long sum = 0;

	profil(range, -1, 0, 0);
	work(800000000);
	profil(&clock_ticks, sizeof(clock_ticks), 0, 1); /* one counter for all addresses */
	work(800000000);
	profil(&clock_ticks, sizeof(clock_ticks), 0, 0); /* off */
	for (unsigned i = 0; i < sizeof(buffer) / sizeof(buffer[0]); i++)
		sum += buffer[i];
	printf("%ld sixtieths of a second in work, then %d by the clock\n", sum, clock_ticks);
	return sum > 0 && clock_ticks > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
