/* SPDX-License-Identifier: MIT */
/*
 * Watches the tracing thread from another thread. Memory of the target that the tracing thread
 * accesses may be on a page that userfaultfd, or a file system in user space, has to deliver. If
 * the thread that would deliver it is stopped, the tracing thread waits forever, and the target
 * with it. Or a bug, possibly exploited by somebody, keeps the tracing thread busy while stopped
 * threads wait. In these cases only the end of the tracing thread helps.
 *
 * The tracing thread is also pinned to one CPU at times. If a program of higher priority keeps that
 * CPU, the watchdog lets the tracing thread run on all CPUs.
 */
#ifndef SUPERVISOR_WATCHDOG_H
#define SUPERVISOR_WATCHDOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct watchdog {
	_Atomic int tid; /* of the tracing thread */
	/* CLOCK_MONOTONIC: since when the thread is at work; 0 while it waits for work */
	_Atomic uint64_t awake_ns;
	_Atomic bool moved; /* it did not get its CPU, and may run on all of them now */
};

/* Called by the tracing thread when it begins. */
void watchdog_begin(struct watchdog *watchdog);
/* Called by the tracing thread when it goes to sleep (@now_ns 0) and when it wakes up. */
static inline void watchdog_note(struct watchdog *watchdog, uint64_t now_ns)
{
	atomic_store_explicit(&watchdog->awake_ns, now_ns, memory_order_relaxed);
}

/*
 * Waits for the end of @thread. True if the thread hangs in one piece of work instead: in the D
 * state at each check for three seconds, asleep for ten (a blocked terminal may become unblocked),
 * or for three seconds of CPU time. On a busy machine this takes longer than three seconds.
 */
bool watchdog_join(struct watchdog *watchdog, pthread_t thread);

#endif
