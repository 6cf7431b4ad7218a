/* SPDX-License-Identifier: MIT */
/*
 * How a waiter calls the tracing thread to a CPU. One waiter at a time has it, by its index:
 *
 *	     summons_rest()                summons_claim()              summons_wake()
 *	WORKS ───────────► SLEEPS or AWAITS ─────────────► claimed by a waiter ───────► WORKS
 *	                      │ summons_wake(), for something else                        ▲
 *	                      └───────────────────────────────────────────────────────────┘
 *
 * The tracing thread sleeps in poll(2) on @bell_fd. While it awaits an instant it is awake, and
 * needs no bell.
 */
#ifndef SUPERVISOR_SUMMONS_H
#define SUPERVISOR_SUMMONS_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { SUMMONS_WORKS = -3, SUMMONS_SLEEPS = -2, SUMMONS_AWAITS = -1 };

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

/*
 * For a waiter: claims the tracing thread as waiter @index, for @wait_ns at most. -EBUSY: it is at
 * work.
 */
int summons_claim(struct summons *summons, int index, uint64_t wait_ns);
/* It comes to CPU @cpu of the machine. To be called once it is claimed, and what it needs is set.
 */
void summons_call(struct summons *summons, int cpu);
/* It works on another CPU: keeps this one until it says so, or for @most_ns. */
void summons_hold(struct summons *summons, int index, uint64_t most_ns);

/* For the tracing thread: it is about to sleep, or to await an instant. */
void summons_rest(struct summons *summons, bool awaits);
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
