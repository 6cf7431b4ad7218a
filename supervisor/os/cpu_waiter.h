/* SPDX-License-Identifier: MIT */
/*
 * A thread that stays on one CPU and sleeps until a set time, and how it calls the tracing thread.
 * When it wakes up it preempts whoever runs there; the scheduler's time stamp of that is read first
 * of all.
 *
 * One thread at a time has the sampler and all that is known of the target: the tracing thread
 * while it is awake, or a waiter, by its index, while it asks which thread it has preempted.
 *
 *	      summons_rest()          summons_claim()           summons_call(), _claim()
 *	WORKS ─────────────► SLEEPS ◄────────────────► a waiter asks ◄──────────────► CALLED
 *	  ▲                    │     summons_give_back()                                │
 *	  └────────────────────┴──────────────────────────── summons_wake() ────────────┘
 *
 * The tracing thread sleeps in poll(2) on @bell_fd. A waiter that wants its turn spins, for a
 * bounded time, as the thread that it has preempted would run if it slept. The tracing thread
 * sleeps until it is its turn.
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
	/*
	 * For how long others had the CPU after the timer went off; ARRIVAL_UNKNOWN. What is late
	 * beside, the timer was: then the CPU was idle, or stayed with the thread that it had.
	 */
	uint64_t waited_ns;
};
#define ARRIVAL_UNKNOWN UINT64_MAX

/*
 * @fd: /proc/thread-self/sched of the calling thread, which woke up at @woke_ns. To be called
 * before it reads its CPU time, which renews the time stamp. -ENODATA or another -errno: the kernel
 * does not tell. waited_ns is left as it is.
 */
int arrival_read(int fd, uint64_t woke_ns, struct arrival *ret_arrival);

struct cpu_waiter {
	pthread_t thread;
	bool started, realtime;
	int cpu;               /* of the machine */
	_Atomic uint32_t word; /* on which the thread sleeps: changes with a poke, and at the end */
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
/* Pins the waiter to its CPU again, after it was allowed to run on others. */
void cpu_waiter_stay(struct cpu_waiter *waiter);
/* Wakes it up: what it is to do has changed. */
void cpu_waiter_poke(struct cpu_waiter *waiter);

enum { SUMMONS_WORKS = -3, SUMMONS_SLEEPS = -2, SUMMONS_CALLED = -1 };

struct summons {
	_Atomic int state;   /* enum above, or the index of the waiter whose turn it is */
	_Atomic bool wanted; /* the tracing thread sleeps until a waiter's turn ends */
	int bell_fd;         /* an eventfd */
	int tid;             /* of the tracing thread */
	cpu_set_t started_on;
	_Atomic uint64_t called_ns; /* CLOCK_MONOTONIC: when it was last called */
	_Atomic int cpu; /* of the machine: the tracing thread stays there; -1: it may be on any */
};

/* Called by the tracing thread. -errno. */
int summons_init(struct summons *summons);
void summons_release(struct summons *summons);

/*
 * For waiter @index: begins its turn, by @until_ns (CLOCK_MONOTONIC) at the latest. A call of
 * another waiter's that the tracing thread has not followed for long is void. False: somebody else
 * has the turn.
 */
bool summons_claim(struct summons *summons, int index, uint64_t until_ns);
/* Ends its turn: nothing is to be done. */
void summons_give_back(struct summons *summons);
/* Ends its turn: the tracing thread comes to CPU @cpu of the machine, for what has been set. */
void summons_call(struct summons *summons, int cpu);

/* For the tracing thread: it is about to sleep. */
static inline void summons_rest(struct summons *summons)
{
	atomic_store(&summons->state, SUMMONS_SLEEPS);
}
/*
 * It is awake; waits for the end of a waiter's turn. 1: it was called. -ETIMEDOUT: the turn takes
 * longer than @wait_ns; call it again.
 */
int summons_wake(struct summons *summons, uint64_t wait_ns);
/* The calling thread may again run on all CPUs of summons.started_on. */
void summons_unpin(struct summons *summons);

#endif
