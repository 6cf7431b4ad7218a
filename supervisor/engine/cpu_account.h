/* SPDX-License-Identifier: MIT */
/* The CPU time that the kernel charges to each thread: read, summed up, reported to the analyst. */
#ifndef SUPERVISOR_ENGINE_CPU_ACCOUNT_H
#define SUPERVISOR_ENGINE_CPU_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct cpu_time;
struct engine;
struct process;
struct tracee;

/*
 * Is @cpu surely the CPU time of @tracee? If another thread calls exec, it gets the tid of the
 * leader, and /proc shows its CPU time under that tid.
 */
bool cpu_account_owns(
	struct engine *engine, const struct tracee *tracee, const struct cpu_time *cpu);
/* Enters @cpu, read at @now_ns, in the thread's account. False: it may be another thread's. */
bool cpu_account_update(
	struct engine *engine, struct tracee *tracee, const struct cpu_time *cpu, uint64_t now_ns);
/* Reports the CPU time used since the last report. @last: the last report for this image. */
void cpu_account_report(struct engine *engine, struct tracee *tracee, bool last);
/* Reports the CPU time of all threads up to now. */
void cpu_account_report_all(struct engine *engine, uint64_t now_ns);
/* Closes the thread's account at the last reading. */
void cpu_account_close(struct engine *engine, struct tracee *tracee);
/* Call when the process is gone or detached: reports its end, and its CPU time. */
void cpu_account_end(struct engine *engine, struct process *process, uint32_t status);
void cpu_account_read_all(struct engine *engine, const struct process *process);
/* Reads the CPU time of some threads in turn; reports that of each thread once a second. */
void cpu_account_sweep(struct engine *engine, uint64_t now_ns);

#endif
