/* SPDX-License-Identifier: MIT */
/*
 * One thread's time that is not CPU time. Pure arithmetic; docs/WALL.md has the reasons.
 *
 * Of the time since an exact reading, what was neither run nor spent waiting for a CPU nor in a
 * stop of ours was blocked. It is owed until the thread is seen blocked, and then paid to the place
 * where that is: as CPU time is paid where the thread is found running. So the sums are the
 * thread's lifetime, however seldom it was looked at.
 */
#ifndef SUPERVISOR_WALL_H
#define SUPERVISOR_WALL_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/os/procfs.h"

struct waiting {
	uint64_t queue_ns; /* runnable, waiting for a CPU */
	uint64_t blocked_ns;
};

struct wall {
	uint64_t begin_ns;   /* CLOCK_MONOTONIC: of the account */
	uint64_t since_ns;   /* accounted up to here */
	struct cpu_time at;  /* reading at that time */
	uint64_t stopped_ns; /* our own stops since then */
	uint64_t queue_ns;   /* owed */
	int64_t blocked_ns;  /* owed; below 0: paid too much, by a reading that was stale */
	int64_t here_ns;     /* the part of it that belongs to the place where it was last seen */
	bool seen;           /* that place is known to the analyst, and it has not run since */
	uint64_t slices;     /* reading at that time */
	uint64_t said_ns;    /* when that place was last paid */
};

void wall_begin(struct wall *wall, const struct cpu_time *cpu, uint64_t now_ns);

/* A reading that is exact: of a thread that is off its CPU. */
void wall_settle(struct wall *wall, const struct cpu_time *cpu, uint64_t now_ns);

/* Has it not run since it was seen? By a reading, exact or not. */
bool wall_stays(const struct wall *wall, const struct cpu_time *cpu);
/* It has not: all that it owes belongs to that place. */
void wall_stay(struct wall *wall, const struct cpu_time *cpu, uint64_t now_ns);
/* It was seen, and what it owed was paid; @slices as they were then. */
void wall_see(struct wall *wall, uint64_t slices, uint64_t now_ns);

/* What it owes; to the place where it was last seen. */
struct waiting wall_owes(const struct wall *wall);
uint64_t wall_owes_here(const struct wall *wall);
void wall_pay(struct wall *wall, const struct waiting *paid);

static inline void waiting_add(struct waiting *sum, const struct waiting *more)
{
	sum->queue_ns += more->queue_ns;
	sum->blocked_ns += more->blocked_ns;
}

#endif
