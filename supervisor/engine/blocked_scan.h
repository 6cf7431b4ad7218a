/* SPDX-License-Identifier: MIT */
/*
 * Observes blocked threads without a stop: /proc/PID/task/TID/syscall gives a thread's program
 * counter and stack pointer, and the stack is copied. The copy is kept only if the thread provably
 * did not run meanwhile. With the wall clock, all threads are examined in turn (target/wall.h).
 */
#ifndef SUPERVISOR_BLOCKED_SCAN_H
#define SUPERVISOR_BLOCKED_SCAN_H

#include <stdbool.h>
#include <stdint.h>

struct activity;
struct cpu_time;
struct engine;
struct tracee;

struct blocked_scan {
	uint64_t tick_ns; /* CLOCK_MONOTONIC of the last observations */
	bool said_no_activity;
};

/* With the wall clock: examines some threads in turn. A call takes a bounded time. */
void blocked_scan_tick(struct engine *engine, uint64_t now_ns);
/*
 * Accounts the waiting time of a thread up to @end_ns, the end of a requested stop that lasted
 * @stop_ns. @cpu was read in the stop.
 */
void blocked_scan_stopped(struct engine *engine, struct tracee *tracee, const struct cpu_time *cpu,
	uint64_t stop_ns, uint64_t end_ns);
/* Begins the thread's account of waiting time; @cpu is its CPU time now. */
void blocked_scan_begin(
	struct engine *engine, struct tracee *tracee, const struct cpu_time *cpu, uint64_t now_ns);
/*
 * Closes the account of waiting time at @now_ns, and begins a new one. account.seen must be the CPU
 * time at that moment.
 */
void blocked_scan_close(struct engine *engine, struct tracee *tracee, uint64_t now_ns);
/*
 * Call when the analyst has died. It had the stacks of blocked threads, so these stacks are sent
 * anew.
 */
void blocked_scan_forget_analyst(struct engine *engine);
/*
 * Samples a thread that was falling asleep at its hit (sample_hit.asleep), without a stop. If it
 * has run since the instant, the sample has no stack.
 */
void blocked_scan_take_tick(struct engine *engine, struct tracee *tracee);
/*
 * Reads whether the thread runs and, if not, where it is blocked. Returns 0; 1 if /proc/…/syscall
 * is unreadable, and only whether the thread runs is known; -errno if nothing is known.
 */
int blocked_scan_read_activity(
	struct engine *engine, struct tracee *tracee, struct activity *ret_activity);

#endif
