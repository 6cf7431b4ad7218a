/* SPDX-License-Identifier: MIT */
/*
 * glibc_ticks SECONDS: prints how many ticks glibc's own sprofil(3) delivers in a second of CPU
 * time, and the length of a tick that it reports, in us.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/profil.h>
#include <sys/time.h>

#include "bench/measure.h"

static unsigned short bin[2];

static double cpu_time(void)
{
	return (double)measure_clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1e9;
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 2, start;
	struct prof all = {bin, sizeof(bin[0]), 0, 2};
	struct timeval tick;
	volatile unsigned x = 0;

	if (sprofil(&all, 1, &tick, PROF_USHORT) < 0)
		return 1;
	for (start = cpu_time(); cpu_time() - start < seconds;) {
		for (unsigned i = 0; i < 100000; i++)
			x = x + i;
	}
	(void)sprofil(NULL, 0, NULL, 0);
	printf("%.1f %ld\n", bin[0] / seconds, (long)tick.tv_usec);
	return 0;
}
