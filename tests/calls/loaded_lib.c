/* SPDX-License-Identifier: MIT */
/* A library that live_all loads while it runs. */
#include <stdint.h>
#include <time.h>

void loaded_work(double seconds);

/* A small part of the @seconds of CPU time is in clock_gettime(). */
void loaded_work(double seconds)
{
	volatile uint64_t sink = 0;
	struct timespec ts;
	double now, end = 0;

	do {
		for (unsigned i = 0; i < 500000; i++)
			sink = sink + i;
		(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
		now = (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
		end = end > 0 ? end : now + seconds;
	} while (now < end);
}
