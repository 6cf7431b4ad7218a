/* SPDX-License-Identifier: MIT */
/*
 * A thread that stays on one CPU and sleeps until a set time. When it wakes up it preempts whoever
 * runs there; the scheduler's time stamp of that (arrival.h) is read first of all.
 */
#ifndef SUPERVISOR_CPU_WAITER_H
#define SUPERVISOR_CPU_WAITER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "supervisor/os/arrival.h"

struct cpu_waiter {
	pthread_t thread;
	bool started, realtime;
	int cpu;               /* of the machine */
	_Atomic uint32_t word; /* changes with each cpu_waiter_poke(); what the thread sleeps on */
	_Atomic bool quit;
	/*
	 * Called in the waiting thread, at first, after a poke (@woke_ns 0) and when it is time:
	 * then with the time when it woke up and its arrival, @error negative if there is none.
	 * Returns when to wake up next, CLOCK_MONOTONIC; UINT64_MAX: not at all.
	 */
	uint64_t (*wake)(void *context, uint64_t woke_ns, const struct arrival *arrival, int error);
	void *context;
};

/*
 * @waiter, with @cpu, @realtime, @wake and @context set, lies still until cpu_waiter_stop().
 * -EAGAIN and the like: no thread to be had.
 */
int cpu_waiter_start(struct cpu_waiter *waiter);
void cpu_waiter_stop(struct cpu_waiter *waiter);
/* Wakes it up: what it is to do has changed. */
void cpu_waiter_poke(struct cpu_waiter *waiter);

#endif
