/* SPDX-License-Identifier: MIT */
/*
 * What the sampler asks of the world. The engine's probe reads /proc; the simulator's has a model.
 * Results are 0 or -errno; a thread that is gone gives an error and is passed over.
 */
#ifndef SUPERVISOR_PROBE_H
#define SUPERVISOR_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/os/arrival.h"
#include "supervisor/os/procfs.h"

struct sample_thread;

struct probe {
	/* What the thread does: on a CPU or waiting for one, or asleep and where. */
	int (*activity)(void *context, struct sample_thread *thread, struct activity *ret_activity);
	/* Its CPU time; up to a scheduler tick stale while the thread runs on another CPU. */
	int (*cpu_time)(void *context, struct sample_thread *thread, struct cpu_time *ret_cpu);
	/* When the scheduler last took it off a CPU or put it on one (exec_start), its clock, ns.
	 */
	int (*switched)(void *context, struct sample_thread *thread, uint64_t *ret_ns);
	/* Since when the thread, which waits for a CPU, does so; the same clock. */
	int (*queued)(void *context, struct sample_thread *thread, uint64_t *ret_ns);
	/* The CPU that it is on, waits for, or was last on; negative: unknown. */
	int (*last_cpu)(void *context, struct sample_thread *thread);
	/*
	 * When the thread that woke up for this instant was put on its CPU. Asked for at most once
	 * an instant. -ENODATA: the kernel does not tell.
	 */
	int (*arrived)(void *context, unsigned cpu, struct arrival *ret_arrival);
	/* Does the CPU still stand still for this instant? */
	bool (*holds)(void *context, unsigned cpu);
	/* CLOCK_MONOTONIC. */
	uint64_t (*now)(void *context);
	/* Threads of the whole machine that are runnable, but for ours; negative: unknown. */
	int (*runnable)(void *context);
};

#endif
