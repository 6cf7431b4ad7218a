/* SPDX-License-Identifier: MIT */
/*
 * What the sampler reads about threads. The engine's probe reads /proc, the simulator's
 * (tests/unit/supervisor/simulator.h) reads a model. An int result without a comment is 0 or
 * -errno; a thread that has ended gives an error, and is skipped.
 */
#ifndef SUPERVISOR_PROBE_H
#define SUPERVISOR_PROBE_H

#include <stdint.h>

#include "supervisor/os/procfs.h"

struct sample_thread;

struct probe {
	/* Is the thread runnable? If not, where is it blocked? */
	int (*activity)(void *context, struct sample_thread *thread, struct activity *ret_activity);
	/* The thread's CPU time; up to a scheduler tick too little while it runs on another CPU. */
	int (*cpu_time)(void *context, struct sample_thread *thread, struct cpu_time *ret_cpu);
	/* When it last switched context (exec_start, scheduler's clock), and its CPU time then. */
	int (*turn)(void *context, struct sample_thread *thread, struct turn *ret_turn);
	/* Since when the thread has waited for a CPU, by the scheduler's clock. */
	int (*queued)(void *context, struct sample_thread *thread, uint64_t *ret_ns);
	/* The CPU that it is on, waits for, or was last on; negative: unknown. */
	int (*last_cpu)(void *context, struct sample_thread *thread);
	/* Returns the time of CLOCK_MONOTONIC, in ns. */
	uint64_t (*now)(void *context);
	/* Number of runnable threads of the machine without the calling one; negative: unknown. */
	int (*runnable)(void *context);
};

#endif
