/* SPDX-License-Identifier: MIT */
#include "base/clock.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define TIMER_TRIES 16

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

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* The median of the CPU time that it takes to set the timer @fd, which is off, to @in. */
static uint64_t setting_time(int fd, struct timespec in)
{
	const struct itimerspec off = {0}, on = {.it_value = in};
	uint64_t tried[TIMER_TRIES];

	for (unsigned i = 0; i < TIMER_TRIES; i++) {
		uint64_t start;

		(void)timerfd_settime(fd, 0, &off, NULL);
		start = clock_read(CLOCK_THREAD_CPUTIME_ID);
		(void)timerfd_settime(fd, 0, &on, NULL);
		tried[i] = clock_read(CLOCK_THREAD_CPUTIME_ID) - start;
	}
	qsort(tried, TIMER_TRIES, sizeof(tried[0]), compare);
	return tried[TIMER_TRIES / 2];
}

uint64_t clock_timer_cost(void)
{
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	uint64_t next, later;

	if (fd < 0)
		return 0;
	/* The CPU's timer is programmed for what is due next only: within the scheduler's tick. */
	next = setting_time(fd, (struct timespec){.tv_nsec = 30000});
	later = setting_time(fd, (struct timespec){.tv_sec = 1000});
	(void)close(fd);
	return next > later ? next - later : 0;
}

long clock_sleeps(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) < 0 ? 0 : usage.ru_nvcsw;
}
