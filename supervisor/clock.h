/* SPDX-License-Identifier: MIT */
/*
 * The CPU-time clock. Pure arithmetic; docs/ARCHITECTURE.md has the reasons.
 *
 * A tick belongs to a thread for each period of CPU time that it has used. Wake-ups only look for
 * threads that owe a tick and can be caught on a CPU; a tick pays all CPU time used since the last
 * one to the place where the thread is found. So sums are CPU time, however late a wake-up was.
 */
#ifndef SUPERVISOR_CLOCK_H
#define SUPERVISOR_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/procfs.h"

/* When to wake up: about every period, jittered so that no lockstep with the target lasts. */
struct wakeups {
	uint64_t period_ns;
	uint64_t next_ns; /* CLOCK_MONOTONIC */
	uint64_t random;  /* state, never 0 */
};

void wakeups_init(struct wakeups *wakeups, uint64_t period_ns, uint64_t now_ns, uint64_t seed);

/*
 * The wake-up of next_ns is done: sets the next one, 0.75 to 1.25 periods (evenly spread) later.
 * The mean is one period, and the phase walks, so that after some ticks every phase of a target's
 * own timer is met. Wake-ups that lie in the past are left out, not made up for.
 */
void wakeups_advance(struct wakeups *wakeups, uint64_t now_ns);

/* A number in [0, bound), bound > 0. */
uint64_t wakeups_random(struct wakeups *wakeups, uint64_t bound);

/* One thread's account: CPU time used and paid out. */
struct credit {
	uint64_t start_ns; /* run time at which the account began */
	uint64_t paid_ns;  /* run time up to which ticks have been paid */
	uint64_t due_ns;   /* credit from which a stop is worth it */
	/* The last reading in a stop: exact. */
	uint64_t exact_ns;    /* run time */
	uint64_t exact_at_ns; /* CLOCK_MONOTONIC */
	/* The last reading at all: up to a scheduler tick stale. */
	struct cpu_time seen;
	uint64_t moved_at_ns; /* when a reading last differed from the one before */
};

/*
 * Begins at @cpu. @phase_ns in [0, period) has been used already, so to speak: without it threads
 * that live for less than a period would never owe a tick.
 */
void credit_begin(struct credit *credit, const struct cpu_time *cpu, uint64_t now_ns,
	uint64_t period_ns, uint64_t phase_ns);

/* A reading while the thread may be running. True when it differs from the one before. */
bool credit_see(struct credit *credit, const struct cpu_time *cpu, uint64_t now_ns);

/* A reading in a stop. Returns the credit: CPU time not paid yet. */
uint64_t credit_settle(struct credit *credit, const struct cpu_time *cpu, uint64_t now_ns);

/* The credit was paid. From half a period on the next stop is worth it. */
void credit_pay(struct credit *credit, uint64_t period_ns);

/*
 * Best guess of the credit now, of a runnable thread: what was read, and of what has passed since
 * then at most half a scheduler tick, which is how stale a reading is on average.
 */
uint64_t credit_estimate(const struct credit *credit, uint64_t now_ns, uint64_t scheduler_tick_ns);

/*
 * Is a runnable thread on a CPU? Its run time moves at least once a scheduler tick then; one that
 * has not moved for longer waits for a CPU.
 */
bool credit_on_cpu(const struct credit *credit, uint64_t now_ns, uint64_t scheduler_tick_ns);

#endif
