/* SPDX-License-Identifier: MIT */
/* spin [SECONDS]: uses SECONDS of CPU time in spin(), or runs until it is killed. Status 7. */
#include <stdlib.h>
#include <time.h>

static double cpu_time(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static __attribute__((noinline)) void spin(void)
{
	for (volatile unsigned i = 0; i < 1000000; i++) {
	}
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 0;

	while (!seconds || cpu_time() < seconds)
		spin();
	return 7;
}
