/* SPDX-License-Identifier: MIT */
/*
 * A thread that stays on one CPU and sleeps until a set time, and how it calls the tracing thread.
 * When it wakes up it preempts whoever runs there; the scheduler's time stamp of that is read first
 * of all. One waiter at a time has the tracing thread, by its index:
 *
 *	     summons_rest()      summons_claim()              summons_wake()
 *	WORKS ───────────► SLEEPS ─────────────► claimed by a waiter ───────► WORKS
 *	                      │ summons_wake(), for something else              ▲
 *	                      └─────────────────────────────────────────────────┘
 *
 * The tracing thread sleeps in poll(2) on @bell_fd.
 */
#ifndef SUPERVISOR_CPU_WAITER_H
#define SUPERVISOR_CPU_WAITER_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* When a thread was scheduled in on its CPU, by the scheduler's clock: it preempted another one. */
struct arrival {
	uint64_t first_ns,
		last_ns; /* between these two; at last_ns if no tick has renewed the time stamp */
	uint64_t monotonic_ns; /* CLOCK_MONOTONIC at last_ns */
};

/*
 * @fd: /proc/thread-self/sched of the calling thread, which woke up at @woke_ns. To be called
 * before it reads its CPU time, which renews the time stamp. -ENODATA or another -errno: the kernel
 * does not tell.
 */
int arrival_read(int fd, uint64_t woke_ns, struct arrival *ret_arrival);

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

enum { SUMMONS_WORKS = -2, SUMMONS_SLEEPS = -1 };

struct summons {
	_Atomic int state; /* enum above, or the index of the waiter that has claimed it */
	int bell_fd;       /* an eventfd */
	int tid;           /* of the tracing thread */
	cpu_set_t started_on;
	_Atomic int cpu;   /* of the machine: it stays there; -1: it may be on any */
	_Atomic int holds; /* index of the waiter that holds its CPU until it is released, -1 */
};

/* Called by the tracing thread. -errno. */
int summons_init(struct summons *summons);
void summons_release(struct summons *summons);

/* For waiter @index: claims the tracing thread, for @wait_ns at most. False: it is at work. */
bool summons_claim(struct summons *summons, int index, uint64_t wait_ns);
/* It comes to CPU @cpu of the machine. Call it when it is claimed, and what it needs is set. */
void summons_call(struct summons *summons, int cpu);
/* It works on another CPU: keeps this one until it says so, or for @most_ns. */
void summons_hold(struct summons *summons, int index, uint64_t most_ns);

/* For the tracing thread: it is about to sleep. */
static inline void summons_rest(struct summons *summons)
{
	atomic_store(&summons->state, SUMMONS_SLEEPS);
}
/* It is awake. Returns the index of the waiter that has claimed it, or -1. */
int summons_wake(struct summons *summons);
static inline bool summons_is_claimed(const struct summons *summons)
{
	return atomic_load(&summons->state) >= 0;
}
/* The waiter @index need not hold its CPU any more. False: it has given up before. */
bool summons_let_go(struct summons *summons, int index);
/* It may be on the CPUs of summons.started_on again. */
void summons_unpin(struct summons *summons);

#endif
