/* SPDX-License-Identifier: MIT */
/*
 * Keeps the ticks that a table counts for a thread equal to the thread's CPU time, by an account
 * for each thread and table (struct sample_account). docs/SAMPLING.md, Counters.
 */
#ifndef SUPERVISOR_TICKS_H
#define SUPERVISOR_TICKS_H

#include "supervisor/sample/sampler.h"

/* Begins the account of @stream anew with the next tick. @began_ns: as in struct sample_account. */
void ticks_forget(struct sample_thread *thread, unsigned stream, uint64_t began_ns);
/* Begins the accounts of all streams anew. */
void ticks_forget_all(struct sample_thread *thread, uint64_t began_ns);

/* Corrects the weights of the hit of @thread by its accounts; @cpu is its CPU time in the stop. */
void ticks_settle(
	struct sampler *sampler, struct sample_thread *thread, const struct cpu_time *cpu);

#endif
