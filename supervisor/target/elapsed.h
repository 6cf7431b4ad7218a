/* SPDX-License-Identifier: MIT */
/*
 * One thread's time that is not CPU time, for one table of elapsed time (CALL_WALL). Pure
 * arithmetic. CPU time is counted by the sampler; here is the rest: blocked, stopped, or waiting
 * for a CPU. It is owed until the thread is found somewhere, and then counted there: all of it
 * where the thread is seen blocked, and what it waited for CPUs also where it is met running.
 */
#ifndef SUPERVISOR_ELAPSED_H
#define SUPERVISOR_ELAPSED_H

#include <stdint.h>

struct cpu_time;

struct elapsed {
	uint64_t serial; /* of the table, 0: none yet */
	uint64_t begin_ns, begin_run_ns, begin_wait_ns;
	uint64_t paid_ns;       /* of the time off its CPU: counted */
	uint64_t queue_ns;      /* of that, waited for CPUs, as last seen */
	uint64_t queue_paid_ns; /* counted of it */
};

/* The thread is seen for the first time since table @serial is in force. */
void elapsed_begin(
	struct elapsed *elapsed, uint64_t serial, const struct cpu_time *cpu, uint64_t now_ns);

/* It runs. Its CPU time may be stale, what it waited is not. */
void elapsed_see(struct elapsed *elapsed, const struct cpu_time *cpu);

/* It is blocked: the whole ticks that it owes are counted here. */
uint64_t elapsed_take(
	struct elapsed *elapsed, const struct cpu_time *cpu, uint64_t now_ns, uint64_t period_ns);

/* It was met running: the whole ticks that it waited for CPUs, as last seen. */
uint64_t elapsed_take_queue(struct elapsed *elapsed, uint64_t period_ns);

#endif
