/* SPDX-License-Identifier: MIT */
/*
 * A program as written for IRIX: one region for the program's text and an overflow bin for the
 * shared libraries, with a tick of 1 ms of CPU time.
 *
 *	cc irix_sprofil.c $(pkg-config --cflags --libs sprofil-irix)
 */
#include <sys/time.h>
#include <sys/profil.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char __executable_start[], etext[];

int main(void)
{
	size_t text = (size_t)(etext - __executable_start);
	/* PROF_UINT and scale 0x10000: a counter for each 4 bytes of text. */
	unsigned size = (unsigned)((text + 3) / 4 * sizeof(unsigned));
	unsigned *counts = calloc(1, size), outside = 0, inside = 0;
	struct prof prof[2];
	struct timeval tick;
	volatile double x = 0;

	memset(prof, 0, sizeof(prof));
	prof[0].pr_base = counts;
	prof[0].pr_size = size;
	prof[0].pr_off = (__psunsigned_t)__executable_start;
	prof[0].pr_scale = 0x10000;
	prof[1].pr_base = &outside;
	prof[1].pr_size = sizeof(outside);
	prof[1].pr_off = 0;
	prof[1].pr_scale = 0x0002;
	if (!counts || sprofil(prof, 2, &tick, PROF_UINT | PROF_FAST) < 0) {
		perror("sprofil");
		return 1;
	}
	for (int i = 0; i < 100000000; i++)
		x = x * 0.5 + i;
	(void)profil(NULL, 0, 0, 0); /* off */
	for (unsigned i = 0; i < size / sizeof(unsigned); i++)
		inside += counts[i];
	printf("%u ticks of %ld us in the program, %u outside\n", inside, (long)tick.tv_usec,
		outside);
	free(counts);
	return inside > outside ? 0 : 1;
}
