/* SPDX-License-Identifier: MIT */
/*
 * The CPU-time clock. Pure arithmetic; docs/ARCHITECTURE.md has the reasons.
 *
 * A tick belongs to a thread for each period of CPU time that it has used. Wake-ups only look for
 * threads that owe a tick and can be caught on a CPU; a tick pays the CPU time used since the last
 * one to the place where the thread is found. So sums are CPU time, however late a wake-up was.
 */
#ifndef SUPERVISOR_CLOCK_H
#define SUPERVISOR_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/os/procfs.h"

/* When to wake up: about every period, jittered so that no lockstep with the target lasts. */
struct wakeups {
	uint64_t period_ns;
	uint64_t next_ns;  /* CLOCK_MONOTONIC */
	uint64_t whole_ns; /* the next one that is no extra one */
	uint64_t random;   /* state, never 0 */
};

void wakeups_init(struct wakeups *wakeups, uint64_t period_ns, uint64_t now_ns, uint64_t seed);

/*
 * The wake-up of next_ns is done: sets the next one, 0.75 to 1.25 spans (evenly spread) later; a
 * span is a period, or two at most. The mean is one span, and the phase walks, so that after some
 * ticks every phase of a target's own timer is met. Wake-ups that lie in the past are left out, not
 * made up for. With @parts above 1 there are extra ones in between, at about so many parts of a
 * period, but some 50 us apart at least; the others come when they would have come without.
 */
void wakeups_advance(struct wakeups *wakeups, uint64_t now_ns, uint64_t span_ns, unsigned parts);

/* A number in [0, bound), bound > 0. */
uint64_t wakeups_random(struct wakeups *wakeups, uint64_t bound);

#define CREDIT_LOAD_WHOLE (UINT64_C(1) << 20)
/* Only readings within this time tell whether a thread is restless; it is so for as long then. */
#define CREDIT_RESTLESS_NS UINT64_C(20000000)

/* One thread's account: CPU time used and paid out. */
struct credit {
	uint64_t start_ns;       /* run time at which the account began */
	uint64_t paid_ns;        /* run time up to which ticks have been paid */
	uint64_t due_ns;         /* credit from which a stop is worth it */
	unsigned pays;           /* how often it was paid */
	uint64_t usual_ns;       /* CPU time between two payments, on average of the last ones */
	uint64_t kept_ns;        /* of the credit, at the last one */
	struct cpu_time seen;    /* the last reading: up to a scheduler tick stale outside a stop */
	uint64_t seen_at_ns;     /* CLOCK_MONOTONIC */
	uint64_t true_at_ns;     /* when that was true, or a little before */
	uint64_t settled_ns;     /* run time at the last stop */
	uint64_t moved_at_ns;    /* when a reading last differed from the one before */
	uint64_t arrived_at_ns;  /* when it was last seen to have been put on a CPU */
	uint64_t moved_ns;       /* run time between the last two readings */
	uint64_t unseen_ns;      /* time between them */
	uint64_t load;           /* part of the time that it lately ran, of CREDIT_LOAD_WHOLE */
	uint64_t restless_at_ns; /* when it was last seen to come and go often between two readings
				  */
};

/*
 * Begins at @cpu. @phase_ns in [0, period) has been used already, so to speak: without it threads
 * that live for less than a period would never owe a tick.
 */
void credit_begin(struct credit *credit, const struct cpu_time *cpu, uint64_t now_ns,
	uint64_t period_ns, uint64_t phase_ns);

/*
 * A reading while the thread may be running. True when it differs from the one before: a reading
 * changes when the thread leaves its CPU, as it does when we wake up there, or at a scheduler tick.
 */
bool credit_see(struct credit *credit, const struct cpu_time *cpu, uint64_t now_ns);

/* A reading in a stop. Returns the credit: CPU time not paid yet. */
uint64_t credit_settle(struct credit *credit, const struct cpu_time *cpu, uint64_t now_ns);
/* The same of a thread that is asleep. */
uint64_t credit_settle_asleep(struct credit *credit, const struct cpu_time *cpu, uint64_t now_ns);

/*
 * Of two runnable threads, is @a the more likely one to be on a CPU now? The one that was put on a
 * CPU later; of two that were since the last look, the one that has run less since: a thread's run
 * time is brought up to date when it leaves its CPU, not when it comes.
 */
bool credit_is_hotter(const struct credit *a, const struct credit *b);

/*
 * From which credit on the next stop is worth it, after one at @due_ns found @paid_ns: less than a
 * period, because wake-ups are jittered; and so much that ticks come to one a period of CPU time in
 * the long run, also where a thread gets only a part of its CPU and would be found too often.
 */
uint64_t clock_next_due(uint64_t due_ns, uint64_t paid_ns, uint64_t period_ns);

/*
 * How much of the credit, @owed_ns, a sample pays. A thread that works for some milliseconds at a
 * time is found at any moment of its work equally often, but early in it there is less credit than
 * late: if all were paid each time, what comes first would seem to take half of the time that it
 * does. So the usual sum is paid, whatever there is now, and half a period is kept so that there
 * mostly is as much. A credit of many periods is paid at once: how far the work has got makes no
 * difference then.
 */
uint64_t credit_share(const struct credit *credit, uint64_t owed_ns, uint64_t period_ns);

/* @paid_ns of the credit, @owed_ns, were paid. */
void credit_pay(struct credit *credit, uint64_t owed_ns, uint64_t paid_ns, uint64_t period_ns);

/* All that was used up to @run_ns is paid by somebody else. */
void credit_clear(struct credit *credit, uint64_t run_ns);

/*
 * Best guess of the credit now, of a thread that is on a CPU: what was read, and the time since
 * then, at most a scheduler tick.
 */
uint64_t credit_estimate(const struct credit *credit, uint64_t now_ns, uint64_t scheduler_tick_ns);

/*
 * Is a runnable thread on a CPU? Its run time moves at least once a scheduler tick then; one that
 * has not moved for longer waits for a CPU.
 */
bool credit_on_cpu(const struct credit *credit, uint64_t now_ns, uint64_t scheduler_tick_ns);

/*
 * Was it lately put on a CPU more often between two readings than our own stops and wake-ups make
 * it? Then it sleeps and wakes.
 */
bool credit_restless(const struct credit *credit, uint64_t now_ns);

/*
 * Has it used three periods since its last stop? On a crowded machine a thread may be off its CPU
 * whenever we look. One that is this late is asked although it waits: it stops when its turn comes.
 */
bool credit_overdue(const struct credit *credit, uint64_t period_ns);

#endif
