/* SPDX-License-Identifier: MIT */
/*
 * Watches the tracing thread from another thread. There are two kinds of hang:
 *
 * - The tracing thread accesses a page of the target that another thread has to deliver, for
 *   userfaultfd or a file system in user space. If that thread is stopped, the tracing thread waits
 *   forever, and so does the target.
 * - A bug keeps the tracing thread busy while stopped threads wait. Somebody may have provoked it.
 *
 * In both cases only the end of the tracing thread helps.
 *
 * The tracing thread is pinned to one CPU at times. If a program of higher priority keeps that CPU,
 * the watchdog lets the tracing thread run on all CPUs.
 *
 * A long wait need not be a hang. An access takes the lock of the target's memory, in the order of
 * requests; each thread of the target that has the lock, or requested it before us, may first have
 * to wait for a CPU. So the watchdog counts only the share of the time for which such a thread
 * could have had a CPU: beside 20 runnable threads on two CPUs that is a tenth.
 */
#ifndef SUPERVISOR_WATCHDOG_H
#define SUPERVISOR_WATCHDOG_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct watchdog {
	_Atomic int tid; /* tid of the tracing thread */
	/* CLOCK_MONOTONIC: since when the thread is at work; 0 while it waits for work */
	_Atomic uint64_t awake_ns;
	_Atomic bool moved; /* the thread did not get its CPU, and may run on all CPUs now */
	bool unloaded;      /* all CPUs count as free: /proc/loadavg is not read */
};

/* What one check of the thread found. */
struct watchdog_look {
	uint64_t awake_ns; /* as in struct watchdog */
	uint64_t cpu_ns;   /* the thread's CPU time */
	/*
	 * For how many ns of the 50 ms between two checks a thread with our nice value can have had
	 * a CPU (watchdog_share()). A late check also counts as 50 ms: it is late because this
	 * process got no CPU.
	 */
	uint64_t share_ns;
	char state; /* as in /proc/PID/stat; 0: unknown */
};

/* The piece of work that the thread is at. Zeroed: none. */
struct watchdog_case {
	uint64_t awake_ns, began_cpu_ns;
	/*
	 * @d_ns: sum of share_ns over the latest checks, as long as all of them found state D; 0
	 * after another state. @s_ns: the same for state S.
	 */
	uint64_t d_ns, s_ns;
};

/* Called by the tracing thread, which is then watched. */
void watchdog_begin(struct watchdog *watchdog);
/* Called by the tracing thread when it wakes up, and when it goes to sleep (@now_ns 0). */
static inline void watchdog_note(struct watchdog *watchdog, uint64_t now_ns)
{
	atomic_store_explicit(&watchdog->awake_ns, now_ns, memory_order_relaxed);
}

/*
 * Returns for how many of @ns nanoseconds a thread of nice value @nice can have had a CPU, at least
 * 1/16 of @ns. Assumes that @runnable threads share @cpus CPUs, and that all others have nice value
 * 0. A negative @nice counts as 0. If @runnable is negative (unknown), returns @ns. Pure.
 */
uint64_t watchdog_share(uint64_t ns, int runnable, int cpus, int nice);
/*
 * Adds @look to the piece of work @work. True: the thread hangs. It does if every check found state
 * D while share_ns added up to 3 s; or if every check found the thread asleep while share_ns added
 * up to 10 s, which is longer because a blocked terminal may become unblocked; or if the piece of
 * work has taken 3 s of CPU time. Pure.
 */
bool watchdog_judge(struct watchdog_case *work, const struct watchdog_look *look);

/* Waits for the end of @thread. True if the thread hangs instead (watchdog_judge()). */
bool watchdog_join(struct watchdog *watchdog, pthread_t thread);

#endif
