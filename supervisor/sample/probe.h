/* SPDX-License-Identifier: MIT */
/*
 * What the sampler reads about threads. The engine's probe reads /proc, the simulator's has a
 * model. Results are 0 or -errno; a thread that is gone gives an error and is passed over.
 */
#ifndef SUPERVISOR_PROBE_H
#define SUPERVISOR_PROBE_H

#include <stdint.h>

#include "supervisor/os/procfs.h"

struct sample_thread;

struct probe {
	/* Is the thread runnable, or blocked and where? */
	int (*activity)(void *context, struct sample_thread *thread, struct activity *ret_activity);
	/* Its CPU time; up to a scheduler tick stale while the thread runs on another CPU. */
	int (*cpu_time)(void *context, struct sample_thread *thread, struct cpu_time *ret_cpu);
	/* Its last context switch by the scheduler's clock (exec_start), and its CPU time then. */
	int (*turn)(void *context, struct sample_thread *thread, struct turn *ret_turn);
	/* Since when the thread, which waits for a CPU, does so; the same clock. */
	int (*queued)(void *context, struct sample_thread *thread, uint64_t *ret_ns);
	/* The CPU that it is on, waits for, or was last on; negative: unknown. */
	int (*last_cpu)(void *context, struct sample_thread *thread);
	/* CLOCK_MONOTONIC. */
	uint64_t (*now)(void *context);
	/* Runnable threads of the whole machine, but for ours; negative: unknown. */
	int (*runnable)(void *context);
};

#endif
