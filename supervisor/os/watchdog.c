/* SPDX-License-Identifier: MIT */
#include "supervisor/os/watchdog.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/os/procfs.h"

#define LOOK_NS    500000000L
#define LOOKS_MOST 6
#define SECOND_NS  1000000000L

void watchdog_begin(struct watchdog *watchdog)
{
	atomic_store(&watchdog->tid, gettid());
}

static struct timespec next_look(void)
{
	struct timespec at;

	(void)clock_gettime(CLOCK_REALTIME, &at);
	at.tv_nsec += LOOK_NS;
	at.tv_sec += at.tv_nsec / SECOND_NS;
	at.tv_nsec %= SECOND_NS;
	return at;
}

/* Waits in the kernel for something that no signal but a deadly one can end. */
static bool is_in_d_state(int tid)
{
	int fd = procfs_open_stat(getpid(), tid);
	char state = '\0';

	if (fd < 0)
		return false;
	if (procfs_read_state(fd, &state) < 0)
		state = '\0';
	(void)close(fd);
	return state == 'D';
}

bool watchdog_join(struct watchdog *watchdog, pthread_t thread)
{
	uint64_t before = 0;
	unsigned looks = 0;

	while (looks < LOOKS_MOST) {
		struct timespec at = next_look();
		uint64_t awake;

		if (pthread_timedjoin_np(thread, NULL, &at) != ETIMEDOUT)
			return false;
		awake = atomic_load(&watchdog->awake_ns);
		looks = awake && awake == before && is_in_d_state(watchdog->tid) ? looks + 1 : 0;
		before = awake;
	}
	return true;
}
