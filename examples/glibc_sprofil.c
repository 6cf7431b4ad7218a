/* SPDX-License-Identifier: MIT */
/*
 * A program written for glibc's <sys/profil.h>. It works when linked with libsprofil, as here, and
 * unchanged, linked with glibc only, under LD_PRELOAD=libsprofil-preload.so.
 *
 *	cc glibc_sprofil.c $(pkg-config --cflags --libs sprofil-glibc)
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/profil.h>

static volatile unsigned long sink;

int main(void)
{
	unsigned counts[1024] = {0}, outside = 0, inside = 0;
	struct prof prof[2] = {
		{counts, sizeof(counts), (size_t)main, 0x10000},
		{&outside, sizeof(outside), 0, 2},
	};
	struct timeval tick;

	for (int round = 0; round < 3; round++) { /* on, off, on: glibc's sprofil() would abort */
		if (sprofil(prof, 2, &tick, PROF_UINT) < 0) {
			perror("sprofil");
			return EXIT_FAILURE;
		}
		for (unsigned long i = 0; i < 400000000; i++)
			sink = i;
		if (sprofil(NULL, 0, NULL, 0) < 0) {
			perror("sprofil");
			return EXIT_FAILURE;
		}
	}
	for (int i = 0; i < 1024; i++)
		inside += counts[i];
	printf("%u ticks of %ld us in main, %u outside\n", inside, (long)tick.tv_usec, outside);
	return inside > outside ? EXIT_SUCCESS : EXIT_FAILURE;
}
