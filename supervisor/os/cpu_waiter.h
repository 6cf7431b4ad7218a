/* SPDX-License-Identifier: MIT */
/*
 * A waiter is a thread that stays on one CPU and sleeps until a set time. When it wakes up, it
 * preempts whoever runs there. First of all, it reads the scheduler's time stamp of that context
 * switch.
 *
 * The sampler and the tables of the target belong to one thread at a time, whose turn it is: the
 * tracing thread while it is awake, or a waiter while it asks which thread it has preempted. Struct
 * summons says whose turn it is, and is how a waiter calls the tracing thread:
 *
 *	      summons_rest()          summons_claim()           summons_call(), _claim()
 *	WORKS ─────────────► SLEEPS ◄────────────────► a waiter asks ◄──────────────► CALLED
 *	  ▲                    │     summons_give_back()                                │
 *	  └────────────────────┴──────────────────────────── summons_wake() ────────────┘
 *
 * The tracing thread sleeps in poll(2) on @bell_fd. A waiter that wants its turn spins, for a
 * bounded time: if it slept, the thread that it has preempted would run. The tracing thread spins
 * for 20 us, and then sleeps, until it is its turn.
 */
#ifndef SUPERVISOR_CPU_WAITER_H
#define SUPERVISOR_CPU_WAITER_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* When a waiter was scheduled in, and so preempted another thread; by the scheduler's clock. */
struct arrival {
	/*
	 * The arrival lies between these two. It is last_ns if no scheduler tick has renewed the
	 * time stamp.
	 */
	uint64_t first_ns, last_ns;
	uint64_t monotonic_ns; /* CLOCK_MONOTONIC at last_ns */
	uint64_t run_ns;       /* the waiter's CPU time at last_ns */
	/*
	 * How long the waiter was in the run queue, after its timer had fired; or ARRIVAL_UNKNOWN.
	 * If the waiter is later than that, its timer has fired late: the CPU was idle, or the
	 * preempted thread had it until then.
	 */
	uint64_t waited_ns;
	/*
	 * The kernel's number of the CPU on which the waiter woke up. It is not the waiter's own if
	 * that is offline, or if somebody has changed the waiter's affinity. Where a filter refuses
	 * to pin threads, it is the waiter's own, wherever that woke up.
	 */
	int cpu;
};
#define ARRIVAL_UNKNOWN UINT64_MAX

/*
 * Reads the arrival of the calling thread, which woke up at @woke_ns, from @fd, its own
 * /proc/thread-self/sched. Sets all fields but waited_ns and cpu. To be called before the thread
 * reads its CPU time, which renews the time stamp. -ENODATA or another -errno: the kernel does not
 * tell.
 */
int arrival_read(int fd, uint64_t woke_ns, struct arrival *ret_arrival);

struct cpu_waiter {
	pthread_t thread;
	bool started, realtime;
	int cpu;               /* the kernel's number of the CPU */
	_Atomic bool loose;    /* pinning is refused (a filter): it runs on any CPU */
	_Atomic int tid;       /* set by the thread when it begins; 0 before */
	_Atomic uint32_t word; /* the thread's futex: changes with a poke, and at the end */
	/*
	 * Called in the waiter's thread: with @woke_ns 0 at its start and after a poke; at the set
	 * time, with the time at which it woke up and with @arrival. @error: the result of
	 * arrival_read(). Returns when to wake up next (CLOCK_MONOTONIC); UINT64_MAX: not at all.
	 */
	uint64_t (*wake)(void *context, uint64_t woke_ns, const struct arrival *arrival, int error);
	void *context;
};

/*
 * Starts the thread. The caller has set cpu, realtime, wake and context of @waiter, which must not
 * move in memory until cpu_waiter_stop(). -EAGAIN or another -errno: no thread can be created.
 */
int cpu_waiter_start(struct cpu_waiter *waiter);
/* Ends the thread, and waits for that. Does nothing if it was not started. */
void cpu_waiter_stop(struct cpu_waiter *waiter);
/*
 * Pins the waiter to its CPU again, after its affinity was changed. To be called by the thread that
 * calls cpu_waiter_stop(): a waiter that pinned itself might do it after that had unpinned it.
 */
void cpu_waiter_pin(struct cpu_waiter *waiter);
/* Wakes the waiter up, so that it calls @wake: the time of its next wake-up may have changed. */
void cpu_waiter_poke(struct cpu_waiter *waiter);

enum { SUMMONS_WORKS = -3, SUMMONS_SLEEPS = -2, SUMMONS_CALLED = -1 };

struct summons {
	_Atomic int state;          /* enum above, or the index of the waiter whose turn it is */
	_Atomic bool wanted;        /* the tracing thread waits for the end of a waiter's turn */
	int bell_fd;                /* an eventfd, which wakes the tracing thread */
	int tid;                    /* of the tracing thread */
	cpu_set_t started_on;       /* the tracing thread's affinity before it was first pinned */
	_Atomic uint64_t called_ns; /* CLOCK_MONOTONIC: when the tracing thread was last called */
	/* the kernel's number of the CPU on which the tracing thread stays; -1: it may be on any */
	_Atomic int cpu;
};

/* Initializes @summons; called by the tracing thread. 0 or -errno. */
int summons_init(struct summons *summons);
void summons_release(struct summons *summons);

/*
 * Begins the turn of waiter @index, at @until_ns (CLOCK_MONOTONIC) at the latest. A call by another
 * waiter is void if the tracing thread has not come for 60 us. False: another thread has the turn.
 */
bool summons_claim(struct summons *summons, int index, uint64_t until_ns);
/* Ends the waiter's turn: the tracing thread has nothing to do. */
void summons_give_back(struct summons *summons);
/* Ends the waiter's turn, and calls the tracing thread to the CPU with the kernel's number @cpu. */
void summons_call(struct summons *summons, int cpu);

/* Ends the turn of the tracing thread, which is about to sleep. */
static inline void summons_rest(struct summons *summons)
{
	atomic_store(&summons->state, SUMMONS_SLEEPS);
}
/*
 * Begins the turn of the tracing thread, which is awake, once no waiter has its turn. 1: a waiter
 * had called the tracing thread; 0: none had. -ETIMEDOUT: the waiter's turn takes longer than
 * @wait_ns; call again.
 */
int summons_wake(struct summons *summons, uint64_t wait_ns);
/*
 * Called by the tracing thread: it may run on all CPUs of summons.started_on until it is called
 * next. To be called before another program is started, which would inherit the affinity.
 */
void summons_unpin(struct summons *summons);

#endif
