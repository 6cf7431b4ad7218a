/* SPDX-License-Identifier: MIT */
/*
 * stolen SECONDS: time that is taken from a busy thread, seen from inside. It reads the clock in a
 * loop; a gap of more than 3 us is time that it did not have. Prints the number of gaps, their
 * median and 99th percentile in ns, and their share of the whole in percent.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { GAPS = 1 << 20, LEAST_NS = 3000 };

static uint32_t gap[GAPS];

static uint64_t now_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	uint64_t start = now_ns(), last = start, sum = 0, end;
	size_t n = 0;

	end = start + (uint64_t)((argc > 1 ? atof(argv[1]) : 2) * 1e9);
	while (last < end && n < GAPS) {
		uint64_t now = now_ns();

		if (now - last > LEAST_NS) {
			gap[n++] = (uint32_t)(now - last);
			sum += now - last;
		}
		last = now;
	}
	qsort(gap, n, sizeof(*gap), by_size);
	printf("%zu %u %u %.2f\n", n, n ? gap[n / 2] : 0, n ? gap[n * 99 / 100] : 0,
		100.0 * (double)sum / (double)(last - start));
	return 0;
}
