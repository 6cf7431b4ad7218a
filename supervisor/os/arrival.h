/* SPDX-License-Identifier: MIT */
/*
 * When a thread of the supervisor was put on the CPU where it runs now, by the scheduler's clock:
 * that is when another one was taken off it. The scheduler's time stamp (procfs_read_turn()) is
 * just that, until a tick or a clock that is read renews it. What the thread has run since it went
 * to sleep tells how old the stamp can be.
 */
#ifndef SUPERVISOR_ARRIVAL_H
#define SUPERVISOR_ARRIVAL_H

#include <stdint.h>

struct arrival {
	uint64_t first_ns,
		last_ns; /* between these two, and at the last one if nothing renewed it */
};

/* Of one thread, kept by itself. Zeroed at first. */
struct arrival_log {
	uint64_t rest_ns; /* its CPU time when it last went to rest, */
	uint64_t turn_ns; /* and when it did before its present turn; it may not have slept since */
	uint64_t switches; /* turns that had ended by then, 0 unknown */
};

/* The thread is about to sleep, unless it finds that it need not. */
void arrival_rest(struct arrival_log *log);

/* @fd: its /proc/thread-self/sched. -ENODATA or another -errno: the kernel does not tell. */
int arrival_read(struct arrival_log *log, int fd, struct arrival *ret_arrival);

#endif
