/* SPDX-License-Identifier: MIT */
/*
 * Watches the tracing thread from another one. What it reads and writes in the target's memory may
 * lie on a page that userfaultfd, or a file system of user space, has to deliver; where the one
 * that would is the thread that we hold, it waits for ever, and the target with it. Or it is kept
 * busy, by a fault of ours or by somebody who found one, while threads that have stopped wait. Only
 * the end of the tracing thread helps then.
 */
#ifndef SUPERVISOR_WATCHDOG_H
#define SUPERVISOR_WATCHDOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct watchdog {
	_Atomic int tid; /* of the tracing thread */
	_Atomic uint64_t
		awake_ns; /* since when it is at work, 0 while it waits for something to do */
};

/* By the tracing thread: it begins, and it goes to sleep (@now_ns 0) or wakes up. */
void watchdog_begin(struct watchdog *watchdog);
static inline void watchdog_note(struct watchdog *watchdog, uint64_t now_ns)
{
	atomic_store_explicit(&watchdog->awake_ns, now_ns, memory_order_relaxed);
}

/*
 * Waits for the end of @thread. True when it hangs instead, in one piece of work: in the D state at
 * each look for three seconds, asleep for ten (who blocks our terminal may let go of it), or at
 * three seconds of CPU time. On a busy machine that is later than three seconds after its
 * beginning.
 */
bool watchdog_join(struct watchdog *watchdog, pthread_t thread);

#endif
