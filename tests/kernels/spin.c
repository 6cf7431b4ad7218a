/* SPDX-License-Identifier: MIT */
/* spin MILLISECONDS: computes for so long, returns 7. */
#include <stdlib.h>
#include <time.h>

static volatile unsigned long n;

static __attribute__((noinline)) void spin(void)
{
	for (int i = 0; i < 1000000; i++)
		n++;
}

int main(int argc, char **argv)
{
	double ms = argc > 1 ? atof(argv[1]) : 1000;
	struct timespec begin, now;

	(void)clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		spin();
		(void)clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((double)(now.tv_sec - begin.tv_sec) * 1e3 +
			(double)(now.tv_nsec - begin.tv_nsec) / 1e6 <
		ms);
	return 7;
}
