/* SPDX-License-Identifier: MIT */
/* The CPU time that the kernel charges to each thread: seen, summed, and told to the analyst. */
#ifndef SUPERVISOR_ENGINE_ACCOUNT_H
#define SUPERVISOR_ENGINE_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct cpu_time;
struct engine;
struct process;
struct tracee;

/* A reading of a thread's CPU time, exact or not. */
void account_see(
	struct engine *engine, struct tracee *tracee, const struct cpu_time *cpu, uint64_t now_ns);
/* The analyst is told what the thread has used since the last time; @last: in this image. */
void account_tell(struct engine *engine, struct tracee *tracee, bool last);
/* The analyst is told of all threads what they have used up to now. */
void account_tell_all(struct engine *engine, uint64_t now_ns);
/* Closes the thread's account at the last reading. */
void account_charge(struct engine *engine, struct tracee *tracee);
/* The process is gone or let go: the analyst is told, and what it used. */
void account_end(struct engine *engine, struct process *process, uint32_t status);
/* Reads some threads in turn. */
void account_sweep(struct engine *engine, uint64_t now_ns);

#endif
