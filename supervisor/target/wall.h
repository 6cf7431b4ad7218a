/* SPDX-License-Identifier: MIT */
/*
 * The time that a thread spends off its CPU. Pure arithmetic; docs/WALL.md has the reasons.
 *
 * Time between two exact readings that was neither CPU time, nor run queue time, nor a stop by the
 * supervisor was spent blocked. It is owed until the thread is seen blocked. Then it is paid:
 * reported with the stack where the thread is blocked. So the sums equal the thread's lifetime,
 * however rarely the thread is examined.
 */
#ifndef SUPERVISOR_WALL_H
#define SUPERVISOR_WALL_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/os/procfs.h"

struct waiting {
	uint64_t queue_ns; /* in the run queue */
	uint64_t blocked_ns;
};

struct wall {
	uint64_t begin_ns;   /* CLOCK_MONOTONIC: begin of the account */
	uint64_t since_ns;   /* CLOCK_MONOTONIC: end of the time that is accounted for */
	struct cpu_time at;  /* reading at since_ns */
	uint64_t stopped_ns; /* time in stops by the supervisor after since_ns */
	uint64_t queue_ns;   /* run queue time that is not reported yet */
	/* blocked time not reported yet; below 0: a reading was stale, and too much was reported */
	int64_t blocked_ns;
	/* the part of blocked_ns that belongs to the stack with which the thread was last seen */
	int64_t here_ns;
	bool seen;        /* the analyst has the stack, and the thread has not run since */
	uint64_t slices;  /* number of time slices when the thread was last seen */
	uint64_t said_ns; /* CLOCK_MONOTONIC: when time was last reported for the stack last seen */
};

void wall_begin(struct wall *wall, const struct cpu_time *cpu, uint64_t now_ns);

/*
 * Accounts for the time up to @now_ns. @cpu must be exact: read while the thread was off its CPU or
 * in a stop. A reading older than wall->at, as the last one of an ended thread may be, adds no CPU
 * time or run queue time.
 */
void wall_settle(struct wall *wall, const struct cpu_time *cpu, uint64_t now_ns);

/* Has the thread not run since it was last seen? The reading @cpu may be stale. */
bool wall_stays(const struct wall *wall, const struct cpu_time *cpu);
/* Call if wall_stays(): all blocked time belongs to the stack last seen. */
void wall_stay(struct wall *wall, const struct cpu_time *cpu, uint64_t now_ns);
/*
 * Call when the thread was seen blocked, and its stack and waiting time were reported. @slices: its
 * time slices so far; while their number stays, the thread has not run.
 */
void wall_see(struct wall *wall, uint64_t slices, uint64_t now_ns);

/* Returns the waiting time that is owed. */
struct waiting wall_owes(const struct wall *wall);
/* Returns the part of the owed blocked time that belongs to the stack last seen. */
uint64_t wall_owes_here(const struct wall *wall);
/* Call when the time @paid has been reported: it is not owed any more. */
void wall_pay(struct wall *wall, const struct waiting *paid);

static inline void waiting_add(struct waiting *sum, const struct waiting *more)
{
	sum->queue_ns += more->queue_ns;
	sum->blocked_ns += more->blocked_ns;
}

#endif
