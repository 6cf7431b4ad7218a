/* SPDX-License-Identifier: MIT */
/*
 * A waiter is a thread on one CPU that sleeps until a set time. When it wakes up, it preempts the
 * thread that runs there, and first reads the scheduler's time stamp of that context switch.
 *
 * The data of the sampler, and the tables of the target's threads, may be used by one thread at a
 * time; that thread has the turn. It is the tracing thread while that is awake, or a waiter while
 * the waiter finds out which thread it has preempted. Struct summons says who has the turn:
 *
 * 	      summons_rest()          summons_claim()           summons_call(), _claim()
 * 	WORKS ─────────────► SLEEPS ◄────────────────► a waiter asks ◄──────────────► CALLED
 * 	  ▲                    │     summons_give_back()                                │
 * 	  └────────────────────┴──────────────────────────── summons_wake() ────────────┘
 *
 * The tracing thread sleeps in poll(2) on @bell_fd. A waiter that wants the turn spins for a
 * bounded time; if it slept instead, the thread that it has preempted would run on.
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
	 * The waiter was scheduled in between first_ns and last_ns. It is exactly last_ns, the
	 * scheduler's time stamp, unless a scheduler tick has renewed that since.
	 */
	uint64_t first_ns, last_ns;
	uint64_t monotonic_ns; /* CLOCK_MONOTONIC at last_ns */
	uint64_t run_ns;       /* the waiter's CPU time at last_ns */
	/*
	 * How long the waiter was in the run queue after its timer had fired; or ARRIVAL_UNKNOWN.
	 * If the waiter woke up later than its set time by more than waited_ns, the timer fired
	 * late. Before it fired, the CPU was idle or ran the preempted thread.
	 */
	uint64_t waited_ns;
	/*
	 * Kernel's number of the CPU on which the waiter woke up. It differs from the number of the
	 * CPU to which the waiter is pinned if that CPU is offline, or if the waiter's affinity was
	 * changed. If pinning is refused, this is always cpu_waiter.cpu.
	 */
	int cpu;
};
#define ARRIVAL_UNKNOWN UINT64_MAX

/*
 * Reads the arrival of the calling thread, which woke up at @woke_ns (CLOCK_MONOTONIC). @fd: its
 * /proc/thread-self/sched. Sets all fields but waited_ns and cpu. The thread must not have read its
 * CPU time since it woke up, because that renews the scheduler's time stamp. 0; -ENODATA: @fd is
 * negative; or another -errno: the file is unreadable.
 */
int arrival_read(int fd, uint64_t woke_ns, struct arrival *ret_arrival);

struct cpu_waiter {
	pthread_t thread;
	bool started, realtime, first;
	int cpu;               /* the kernel's number of the CPU */
	_Atomic bool loose;    /* pinning is refused, e.g. by seccomp: runs on any CPU */
	_Atomic int tid;       /* set by the thread when it begins; 0 before */
	clockid_t clock;       /* shows the thread's CPU time */
	_Atomic uint32_t word; /* futex: a change wakes the thread (a poke, or its end) */
	/*
	 * Called in the waiter's thread when it starts, after a poke, and at the set time.
	 * @woke_ns: when the thread woke up at the set time (CLOCK_MONOTONIC); 0: the thread has
	 * started or was poked. @error is the result of arrival_read() for @arrival. Returns when
	 * to wake up next (CLOCK_MONOTONIC); UINT64_MAX: only at a poke.
	 */
	uint64_t (*wake)(void *context, uint64_t woke_ns, const struct arrival *arrival, int error);
	void *context;
};

/*
 * Starts the thread. The caller has set the fields cpu, wake, context, realtime (the thread
 * requests real-time priority) and first (what it passes to priority_prompt() without that).
 * @waiter must not move in memory until cpu_waiter_stop(). 0, or -errno: no thread can be created.
 */
int cpu_waiter_start(struct cpu_waiter *waiter);
/* Ends and joins the thread, if it was started. */
void cpu_waiter_stop(struct cpu_waiter *waiter);
/*
 * Pins the waiter to its CPU again, after its affinity was changed. Call only from the thread that
 * calls cpu_waiter_stop(), which unpins the waiter so that it can end. If another thread pinned it,
 * that could happen after the unpinning.
 */
void cpu_waiter_pin(struct cpu_waiter *waiter);
/* Makes the waiter call @wake now: the time of its next wake-up may have changed. */
void cpu_waiter_poke(struct cpu_waiter *waiter);

enum { SUMMONS_WORKS = -3, SUMMONS_SLEEPS = -2, SUMMONS_CALLED = -1 };

struct summons {
	/* a value of the enum above, or the index of the waiter whose turn it is */
	_Atomic int state;
	_Atomic bool wanted;        /* the tracing thread waits for the end of a waiter's turn */
	int bell_fd;                /* an eventfd, which wakes the tracing thread */
	int tid;                    /* of the tracing thread */
	cpu_set_t started_on;       /* the tracing thread's affinity before it was first pinned */
	_Atomic uint64_t called_ns; /* CLOCK_MONOTONIC: when the tracing thread was last called */
	/* kernel's number of the CPU to which the tracing thread is pinned; -1: not pinned */
	_Atomic int cpu;
};

/*
 * Initializes @summons: the calling thread is the tracing thread and has the turn. 0, or -errno: no
 * eventfd can be created.
 */
int summons_init(struct summons *summons);
void summons_release(struct summons *summons);

/*
 * Gives the turn to waiter @index, the caller; spins until @until_ns (CLOCK_MONOTONIC) at most
 * while another thread has it. False: another thread still has the turn, or summons_call() has
 * called the tracing thread in the last 60 us, so that the turn is kept for it.
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
 * Gives the turn to the tracing thread, the caller, as soon as no waiter has it. 1: a waiter had
 * called the tracing thread by summons_call(). 0: no waiter had called it. -ETIMEDOUT: a waiter has
 * had the turn for longer than @wait_ns; call again.
 */
int summons_wake(struct summons *summons, uint64_t wait_ns);
/*
 * Unpins the tracing thread, the caller, until the next summons_call(): it may run on started_on.
 * Call before starting another program, which would inherit the affinity.
 */
void summons_unpin(struct summons *summons);

#endif
