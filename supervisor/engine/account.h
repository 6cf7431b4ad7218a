/* SPDX-License-Identifier: MIT */
/*
 * The CPU time that the kernel charges to each thread: read, summed up, and reported to the
 * analyst.
 */
#ifndef SUPERVISOR_ENGINE_ACCOUNT_H
#define SUPERVISOR_ENGINE_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct cpu_time;
struct engine;
struct process;
struct tracee;

/* Takes a reading of a thread's CPU time, exact or stale. */
void account_see(
	struct engine *engine, struct tracee *tracee, const struct cpu_time *cpu, uint64_t now_ns);
/* Reports the CPU time used since the last report. @last: the last report for this image. */
void account_tell(struct engine *engine, struct tracee *tracee, bool last);
/* Reports the CPU time of all threads up to now. */
void account_tell_all(struct engine *engine, uint64_t now_ns);
/* Closes the thread's account at the last reading. */
void account_charge(struct engine *engine, struct tracee *tracee);
/* The process is gone or detached: reports that, and its CPU time. */
void account_end(struct engine *engine, struct process *process, uint32_t status);
/* Reads the CPU time of all threads of @process. */
void account_see_all(struct engine *engine, const struct process *process);
/* Reads the CPU time of some threads in turn. */
void account_sweep(struct engine *engine, uint64_t now_ns);

#endif
