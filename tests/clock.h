/* SPDX-License-Identifier: MIT */
/* Clocks of test programs and their targets. A clock that cannot be read gives 0. */
#ifndef TESTS_CLOCK_H
#define TESTS_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts = {0};

	(void)clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static inline double clock_s(clockid_t clock)
{
	return (double)clock_ns(clock) / 1e9;
}

#endif
