/* SPDX-License-Identifier: MIT */
/*
 * A thread's time off its CPU (blocked, stopped, or in the run queue) for one table of elapsed time
 * (CALL_WALL). It is owed until the thread is next seen blocked, and then counted at the address
 * where it is blocked. Run queue time is also counted where the thread is found running. Pure
 * arithmetic.
 */
#ifndef SUPERVISOR_ELAPSED_H
#define SUPERVISOR_ELAPSED_H

#include <stdint.h>

struct cpu_time;

struct elapsed {
	uint64_t serial;   /* serial number of the table; 0: none yet */
	uint64_t begin_ns; /* CLOCK_MONOTONIC at elapsed_begin() */
	/* the thread's CPU time and run queue time at elapsed_begin() */
	uint64_t begin_run_ns, begin_wait_ns;
	uint64_t paid_ns;       /* off-CPU time that has been counted */
	uint64_t queue_ns;      /* run queue time, as last read */
	uint64_t queue_paid_ns; /* run queue time that has been counted */
};

/* Call when a thread is first seen after table @serial was put in force. */
void elapsed_begin(
	struct elapsed *elapsed, uint64_t serial, const struct cpu_time *cpu, uint64_t now_ns);

/* Call for a running thread: its CPU time in @cpu may be stale, its run queue time is exact. */
void elapsed_see(struct elapsed *elapsed, const struct cpu_time *cpu);

/* Returns the ticks of off-CPU time to be counted at the address where the thread is blocked. */
uint64_t elapsed_take(
	struct elapsed *elapsed, const struct cpu_time *cpu, uint64_t now_ns, uint64_t period_ns);

/* Returns the ticks of run queue time, as last read, to be counted where the thread runs. */
uint64_t elapsed_take_queue(struct elapsed *elapsed, uint64_t period_ns);

#endif
