/* SPDX-License-Identifier: MIT */
/*
 * The off-CPU time of a thread (blocked, stopped, or in the run queue), for one table of counters
 * that counts elapsed time (CALL_WALL in proto/call.h). Off-CPU time accumulates until the thread
 * is next found blocked, and is then counted at the address where it is blocked. Run queue time is
 * also counted when the thread is found running. Pure arithmetic.
 */
#ifndef SUPERVISOR_ELAPSED_H
#define SUPERVISOR_ELAPSED_H

#include <stdint.h>

struct cpu_time;

struct elapsed {
	uint64_t serial;   /* serial number of the table of counters; 0: none yet */
	uint64_t begin_ns; /* CLOCK_MONOTONIC at elapsed_begin() */
	/* the thread's CPU time and run queue time at elapsed_begin() */
	uint64_t begin_run_ns, begin_wait_ns;
	uint64_t paid_ns;       /* off-CPU time that has been counted */
	uint64_t queue_ns;      /* run queue time, as last read */
	uint64_t queue_paid_ns; /* run queue time that has been counted */
};

/*
 * Starts the account of a thread. Call when a thread is first seen since the table with this serial
 * number came into use.
 */
void elapsed_begin(
	struct elapsed *elapsed, uint64_t serial, const struct cpu_time *cpu, uint64_t now_ns);

/*
 * Updates the run queue time, which is exact while the thread runs. Call for a running thread,
 * whose CPU time in @cpu may be stale and is not used.
 */
void elapsed_see(struct elapsed *elapsed, const struct cpu_time *cpu);

/*
 * Returns the off-CPU time to be counted at the address where the thread is blocked, in ticks of
 * the table, @period_ns each. A rest of less than a tick is kept for the next call.
 */
uint64_t elapsed_take(
	struct elapsed *elapsed, const struct cpu_time *cpu, uint64_t now_ns, uint64_t period_ns);

/*
 * Returns the run queue time, as last read, to be counted where the thread runs; in ticks of
 * @period_ns.
 */
uint64_t elapsed_take_queue(struct elapsed *elapsed, uint64_t period_ns);

#endif
