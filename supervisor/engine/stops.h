/* SPDX-License-Identifier: MIT */
/* The stops of threads for samples: requests them, and samples each thread that has stopped. */
#ifndef SUPERVISOR_STOPS_H
#define SUPERVISOR_STOPS_H

#include <stdbool.h>
#include <stdint.h>

struct cpu_time;
struct engine;
struct tracee;

/* Requests a stop of @tracee. False: that is not possible now. */
bool stops_ask(struct engine *engine, struct tracee *tracee);
/* Is a stop of @tracee, requested for a sample, still to come? */
bool stops_awaits_sample(const struct tracee *tracee);
/*
 * Handles a stop in which a thread may be sampled, requested or not. Samples the thread if the stop
 * was requested at a hit, then resumes it with @signal (0: none).
 */
void stops_take(struct engine *engine, struct tracee *tracee, int signal);

/*
 * Call when another event came in place of a requested stop (struct lifecycle_stops). A thread that
 * was hit is sampled in @syscall, where it has been since the request, without registers or stack.
 * Negative @syscall: the sample is lost.
 */
void stops_overtaken(struct engine *engine, struct tracee *tracee, int32_t syscall);

/* Have all threads whose stop was requested stopped or ended? */
bool stops_are_over(struct engine *engine);

/*
 * Returns how long a requested stop lasted, in ns. It was seen at @seen_ns and ended at @end_ns
 * (CLOCK_MONOTONIC); @cpu was read in it. @in_call: the thread was in a system call.
 */
uint64_t stops_time(const struct tracee *tracee, const struct cpu_time *cpu, bool in_call,
	uint64_t seen_ns, uint64_t end_ns);

#endif
