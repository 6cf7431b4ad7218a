/* SPDX-License-Identifier: MIT */
/*
 * A thread that stays on one CPU, and wakes up there at a set time, for one of two purposes:
 *
 *	hold	it rings a bell and holds the CPU until it is released. The thread that it took the
 *		CPU from stands still meanwhile.
 *	keep	it is awake a little before, may ring the bell at that time, and stays awake: a
 *		CPU that is not idle takes no thread over from another one.
 *
 * Either lasts half a millisecond at most.
 */
#ifndef SUPERVISOR_CPU_WAITER_H
#define SUPERVISOR_CPU_WAITER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "supervisor/os/arrival.h"

/* Longer nobody's CPU is held. An idle virtual CPU takes some 0.2 ms to wake up. */
#define CPU_WAITER_HOLD_NS 500000

enum cpu_waiter_state {
	CPU_WAITER_ASLEEP,
	CPU_WAITER_HOLDS,   /* it has rung, and waits for the release */
	CPU_WAITER_KEEPS,   /* it keeps its CPU from going idle */
	CPU_WAITER_GAVE_UP, /* nobody came; it has let the CPU go */
};

struct cpu_waiter {
	pthread_t thread;
	bool started;
	int cpu, bell_fd;
	bool realtime;
	const _Atomic bool *heard; /* somebody looks at the state, and needs no bell */
	_Atomic uint32_t word;     /* changes with each order; what the thread sleeps on */
	_Atomic bool quit;
	_Atomic int state;        /* enum cpu_waiter_state */
	_Atomic uint64_t at_ns;   /* CLOCK_MONOTONIC: when to wake up; UINT64_MAX never */
	_Atomic uint64_t woke_ns; /* HOLDS: when it did */
	_Atomic uint64_t
		keep_ns; /* CLOCK_MONOTONIC: when to be awake as a keeper; UINT64_MAX never */
	_Atomic bool keep_rings;   /* it rings the bell then */
	_Atomic uint64_t rang_ns;  /* when it last did */
	struct arrival arrival;    /* when it was put on its CPU; the waiter's own until */
	_Atomic int arrival_read;  /* 1: it has been read; 0 not yet, -errno */
	_Atomic bool arrival_late; /* not before it is asked for: it will hardly be */
	_Atomic bool arrival_asked;
};

/*
 * @waiter lies still until cpu_waiter_stop(). @bell_fd is an eventfd, which is not rung while
 * @heard is true. -EAGAIN and the like: no thread to be had.
 */
int cpu_waiter_start(
	struct cpu_waiter *waiter, int cpu, int bell_fd, const _Atomic bool *heard, bool realtime);
void cpu_waiter_stop(struct cpu_waiter *waiter);

/* Wake up at @at_ns; while the waiter holds, this releases it. UINT64_MAX: not at all. */
void cpu_waiter_set(struct cpu_waiter *waiter, uint64_t at_ns);

/*
 * Be awake from a little before @at_ns until the next such order, and with @rings ring the bell at
 * @at_ns. UINT64_MAX: not at all. What the waiter was told by cpu_waiter_set() holds as well, and
 * comes later if need be.
 */
void cpu_waiter_keep(struct cpu_waiter *waiter, uint64_t at_ns, bool rings);

static inline enum cpu_waiter_state cpu_waiter_state(const struct cpu_waiter *waiter)
{
	return (enum cpu_waiter_state)atomic_load_explicit(&waiter->state, memory_order_acquire);
}

/* It has rung for its own CPU's sake, and wants to be served: cpu_waiter_set(). */
static inline bool cpu_waiter_calls(const struct cpu_waiter *waiter)
{
	enum cpu_waiter_state state = cpu_waiter_state(waiter);

	return state == CPU_WAITER_HOLDS || state == CPU_WAITER_GAVE_UP;
}

/*
 * While it holds: when it was put on its CPU. It reads that first of all, since the next tick of
 * the scheduler renews its time stamp, unless arrival_late. -ENODATA: there is none.
 */
int cpu_waiter_arrival(struct cpu_waiter *waiter, struct arrival *ret_arrival);

#endif
