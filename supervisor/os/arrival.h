/* SPDX-License-Identifier: MIT */
/*
 * When a thread of the supervisor was scheduled in on the CPU where it now runs, by the scheduler's
 * clock: at that time it preempted another thread. The scheduler's timestamp (procfs_read_turn())
 * is exactly this time until a tick, or a read of a clock, updates it. The CPU time of the thread
 * since its last sleep bounds the age of the timestamp.
 */
#ifndef SUPERVISOR_ARRIVAL_H
#define SUPERVISOR_ARRIVAL_H

#include <stdint.h>

struct arrival {
	uint64_t first_ns,
		last_ns;       /* between these two; at last_ns if nothing updated the timestamp */
	uint64_t monotonic_ns; /* CLOCK_MONOTONIC at last_ns */
};

/* Owned by one thread. Zero-initialized. */
struct arrival_log {
	uint64_t rest_ns; /* the thread's CPU time when it last went to sleep */
	/* CPU time at the last rest before the present turn; it may not have slept since */
	uint64_t turn_ns;
	uint64_t switches; /* number of turns that had ended by then, 0 unknown */
};

/* The thread is about to sleep, unless it finds that it need not. */
void arrival_rest(struct arrival_log *log);

/*
 * @fd: /proc/thread-self/sched of the thread. -ENODATA or another -errno: the kernel does not say.
 */
int arrival_read(struct arrival_log *log, int fd, struct arrival *ret_arrival);

#endif
