/* SPDX-License-Identifier: MIT */
#include "supervisor/os/watchdog.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/os/priority.h"
#include "supervisor/os/procfs.h"

/* Interval between two checks of the thread. */
#define LOOK_NS 50000000L
/*
 * The thread hangs if so many checks in a row find it in state D, or asleep (S). If so many find it
 * runnable (R) without having run, it is let run on all CPUs.
 */
#define D_LOOKS_MOST 60
#define S_LOOKS_MOST 200
#define R_LOOKS_MOST 3
/* CPU time that one piece of work may take. */
#define BUSY_NS   3000000000
#define SECOND_NS 1000000000L

void watchdog_begin(struct watchdog *watchdog)
{
	atomic_store(&watchdog->tid, gettid());
}

static struct timespec next_look(void)
{
	struct timespec at;

	(void)clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_nsec += LOOK_NS;
	at.tv_sec += at.tv_nsec / SECOND_NS;
	at.tv_nsec %= SECOND_NS;
	return at;
}

/* The state in /proc; 'D': a wait that no signal ends, or only a fatal one. 0: unknown. */
static char state_of(int tid)
{
	int fd = procfs_open_stat(getpid(), tid);
	char state = '\0';

	if (fd < 0)
		return state;
	if (procfs_read_state(fd, &state) < 0)
		state = '\0';
	(void)close(fd);
	return state;
}

/* The CPU time of @thread; 0: unknown. */
static uint64_t cpu_ns(pthread_t thread)
{
	struct timespec used;
	clockid_t clock;

	if (pthread_getcpuclockid(thread, &clock) != 0 || clock_gettime(clock, &used) < 0)
		return 0;
	return (uint64_t)used.tv_sec * SECOND_NS + (uint64_t)used.tv_nsec;
}

bool watchdog_join(struct watchdog *watchdog, pthread_t thread)
{
	uint64_t before = 0, began_cpu_ns = 0, used = 0;
	unsigned looks_d = 0, looks_s = 0, looks_r = 0;

	do {
		struct timespec at = next_look();
		uint64_t awake, used_before = used;
		char state;

		if (pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &at) != ETIMEDOUT)
			return false;
		awake = atomic_load(&watchdog->awake_ns);
		used = cpu_ns(thread);
		state = state_of(watchdog->tid);
		/* Runnable, and it has not run since the last check. */
		looks_r = used == used_before && state == 'R' ? looks_r + 1 : 0;
		if (looks_r == R_LOOKS_MOST && priority_any_cpu(thread) == 0)
			atomic_store(&watchdog->moved, true);
		if (!awake || awake != before) { /* another piece of work, or none */
			before = awake;
			began_cpu_ns = used;
			looks_d = looks_s = 0;
			continue;
		}
		looks_d = state == 'D' ? looks_d + 1 : 0;
		looks_s = state == 'S' ? looks_s + 1 : 0;
	} while (looks_d < D_LOOKS_MOST && looks_s < S_LOOKS_MOST && used - began_cpu_ns < BUSY_NS);
	return true;
}
