/* SPDX-License-Identifier: MIT */
/*
 * Blocked threads, seen without a stop: where they are by /proc/PID/task/TID/syscall, their stack
 * by a copy that is kept only if they provably did not run meanwhile. With the wall clock all are
 * looked at in turn (target/wall.h).
 */
#ifndef SUPERVISOR_LOOK_H
#define SUPERVISOR_LOOK_H

#include <stdbool.h>
#include <stdint.h>

struct activity;
struct cpu_time;
struct engine;
struct tracee;

struct looker {
	uint64_t tick_ns; /* when looks were last made */
	bool said_no_activity;
};

/* With the wall clock: looks at some threads in turn; bounded. */
void look_tick(struct engine *engine, uint64_t now_ns);
/* The tick stop of @tracee, which took @stop_ns, is over; @cpu was read in it. */
void look_stopped(struct engine *engine, struct tracee *tracee, const struct cpu_time *cpu,
	uint64_t stop_ns, uint64_t end_ns);
/* Begins, and closes, the thread's account of waiting time. */
void look_begin(
	struct engine *engine, struct tracee *tracee, const struct cpu_time *cpu, uint64_t now_ns);
void look_close(
	struct engine *engine, struct tracee *tracee, const struct cpu_time *cpu, uint64_t now_ns);
/* The analyst has died: what it was told of the threads' places is gone. */
void look_forget_analyst(struct engine *engine);
/*
 * A tick of a thread that the supervisor took the CPU from and that sleeps now. Where it sleeps it
 * was, and so no stop is needed.
 */
void look_take_tick(struct engine *engine, struct tracee *tracee);
/* What the thread does. 1: /proc/…/syscall cannot be read; whether it runs is all that is known. */
int look_read_activity(struct engine *engine, struct tracee *tracee, struct activity *ret_activity);

#endif
