/* SPDX-License-Identifier: MIT */
/*
 * The accounts between tables and threads: the ticks that a table counts for a thread are as many
 * as its CPU time has. docs/SAMPLING.md, Counters.
 */
#ifndef SUPERVISOR_TICKS_H
#define SUPERVISOR_TICKS_H

#include "supervisor/sample/sampler_state.h"

/* The account of @stream begins anew with the next tick. @began_ns: as in struct sample_account. */
void ticks_forget(struct sample_thread *thread, unsigned stream, uint64_t began_ns);

/* @thread, whose CPU time is @cpu, is about to be counted: the weights of its hit are put right. */
void ticks_settle(
	struct sampler *sampler, struct sample_thread *thread, const struct cpu_time *cpu);

#endif
