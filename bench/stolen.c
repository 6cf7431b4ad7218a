/* SPDX-License-Identifier: MIT */
/*
 * stolen SECONDS [CALL_US [DEPTH]]: measures the time that is taken from a busy thread. Reads the
 * clock in a loop: a gap of more than 2 us between two readings is time in which the thread did not
 * run. Calls getppid(2) every CALL_US (0: never); does all this DEPTH frames deep.
 *
 * Prints a line: number of gaps, median and 99th percentile in ns, share of the whole time in
 * percent. Then, without the gaps of more than 1 ms (another program or machine had the CPU): sum
 * of the gaps and whole time in ns, turns of the loop in a second.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/measure.h"

enum { GAPS = 1 << 20, LEAST_NS = 2000, LONG_NS = 1000000 };

static uint32_t gap[GAPS];

static void watch(uint64_t duration_ns, uint64_t call_ns)
{
	uint64_t start = measure_now_ns(), last = start, called = start, sum = 0, others = 0,
		 turns = 0;
	size_t n = 0;

	while (last < start + duration_ns && n < GAPS) {
		uint64_t now;

		if (call_ns && last - called >= call_ns) {
			(void)syscall(SYS_getppid);
			called = last;
		}
		now = measure_now_ns();
		if (now - last > LEAST_NS) {
			gap[n++] = (uint32_t)(now - last);
			sum += now - last;
			others += now - last > LONG_NS ? now - last : 0;
		}
		last = now;
		turns++;
	}
	qsort(gap, n, sizeof(*gap), measure_order_32);
	printf("%zu %u %u %.2f %llu %llu %.0f\n", n, n ? gap[n / 2] : 0, n ? gap[n * 99 / 100] : 0,
		100.0 * (double)sum / (double)(last - start), (unsigned long long)(sum - others),
		(unsigned long long)(last - start - others),
		(double)turns * 1e9 / (double)(last - start - others));
}

__attribute__((noinline)) static int deeper(uint64_t duration_ns, uint64_t call_ns, unsigned depth)
{
	volatile char frame[128];

	frame[0] = (char)depth;
	if (depth)
		return deeper(duration_ns, call_ns, depth - 1) + frame[0];
	watch(duration_ns, call_ns);
	return frame[0];
}

int main(int argc, char **argv)
{
	(void)deeper((uint64_t)((argc > 1 ? atof(argv[1]) : 2) * 1e9),
		(uint64_t)((argc > 2 ? atof(argv[2]) : 0) * 1e3),
		argc > 3 ? (unsigned)atoi(argv[3]) : 0);
	return 0;
}
