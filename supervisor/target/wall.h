/* SPDX-License-Identifier: MIT */
/*
 * The time that a thread spends off its CPU. Pure arithmetic; docs/WALL.md explains it.
 *
 * Blocked time is the time between two exact readings, minus CPU time, run queue time, and stops by
 * the supervisor. Blocked time is owed (not reported yet) until the thread is found blocked. Then
 * it is paid: reported with the stack where the thread is blocked. So the times reported add up to
 * the thread's lifetime, however rarely the thread is examined.
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
	/* blocked time not reported yet; negative: a stale reading made us report too much */
	int64_t blocked_ns;
	/* the part of blocked_ns that the thread spent where it was last found blocked */
	int64_t here_ns;
	/*
	 * the thread was found blocked and its stack reported; the thread was not seen to run since
	 */
	bool seen;
	uint64_t slices; /* number of time slices when the thread was last found blocked */
	/* CLOCK_MONOTONIC: last report of time for the stack where it was found blocked */
	uint64_t said_ns;
};

void wall_begin(struct wall *wall, const struct cpu_time *cpu, uint64_t now_ns);

/*
 * Accounts for the time up to @now_ns. @cpu must be exact: read while the thread was off its CPU or
 * in a stop. If @cpu is older than wall->at, no CPU time or run queue time is added; the last
 * reading of an ended thread may be older.
 */
void wall_settle(struct wall *wall, const struct cpu_time *cpu, uint64_t now_ns);

/* Has the thread not run since it was last found blocked? The reading @cpu may be stale. */
bool wall_stays(const struct wall *wall, const struct cpu_time *cpu);
/*
 * Call if wall_stays(): all owed blocked time belongs to the stack where the thread was last found
 * blocked.
 */
void wall_stay(struct wall *wall, const struct cpu_time *cpu, uint64_t now_ns);
/*
 * Call when the thread was found blocked, and its stack and waiting time were reported. @slices:
 * number of time slices of the thread so far. The thread has not run as long as this number is
 * unchanged.
 */
void wall_see(struct wall *wall, uint64_t slices, uint64_t now_ns);

/* Returns the waiting time that is owed. */
struct waiting wall_owes(const struct wall *wall);
/*
 * Returns the part of the owed blocked time that belongs to the stack where it was last found
 * blocked.
 */
uint64_t wall_owes_here(const struct wall *wall);
/* Call when the time @paid has been reported: it is not owed any more. */
void wall_pay(struct wall *wall, const struct waiting *paid);

static inline void waiting_add(struct waiting *sum, const struct waiting *more)
{
	sum->queue_ns += more->queue_ns;
	sum->blocked_ns += more->blocked_ns;
}

#endif
