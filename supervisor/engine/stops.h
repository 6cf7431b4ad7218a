/* SPDX-License-Identifier: MIT */
/* The stops of threads: asked for, looked for, and what becomes of each. */
#ifndef SUPERVISOR_STOPS_H
#define SUPERVISOR_STOPS_H

#include <stdbool.h>
#include <stdint.h>

struct cpu_time;
struct engine;
struct tracee;

/* Asks @tracee for a stop. False: it cannot be asked now. */
bool stops_ask(struct engine *engine, struct tracee *tracee);
/* A stop of @tracee, whether it was asked for or not; resumes it, with @signal. */
void stops_take(struct engine *engine, struct tracee *tracee, int signal);

/*
 * Another event has come where a stop was asked for (lifecycle.h). A thread that has been in a call
 * all the time is sampled there, without registers or stack; otherwise the sample is lost.
 */
void stops_overtaken(struct engine *engine, struct tracee *tracee, int32_t syscall);

/* No stop is requested that has not come. */
bool stops_are_over(struct engine *engine);

/* How long a stop lasted that was seen at @seen_ns. */
uint64_t stops_time(const struct tracee *tracee, const struct cpu_time *cpu, bool in_call,
	uint64_t seen_ns, uint64_t end_ns);

#endif
