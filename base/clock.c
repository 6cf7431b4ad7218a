/* SPDX-License-Identifier: MIT */
#include "base/clock.h"

uint64_t clock_read(clockid_t clock)
{
	struct timespec ts = {0};

	(void)clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * CLOCK_SECOND_NS + (uint64_t)ts.tv_nsec;
}

uint64_t clock_now(void)
{
	return clock_read(CLOCK_MONOTONIC);
}
