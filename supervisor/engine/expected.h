/* SPDX-License-Identifier: MIT */
/*
 * Which thread is expected to run on a CPU at the next instant: the one that was last resumed there
 * from a sample. The CPU's waiter reads the time of that thread's last context switch before it
 * takes its turn with the sampler (cpu_waiter.h). This shortens the turn, for whose end the waiters
 * of other CPUs wait.
 */
#ifndef SUPERVISOR_EXPECTED_H
#define SUPERVISOR_EXPECTED_H

#include <stdatomic.h>

struct engine;
struct sample_instant;
struct sample_thread;
struct tracee;

struct expected {
	_Atomic(struct sample_thread *) thread; /* NULL: none */
	_Atomic unsigned number;                /* odd while the rest is being changed */
	int fd; /* the thread's scheduling file; -1: it could not be opened */
};

/*
 * Called by a waiter before its turn: reads the time stamp of the expected thread into @instant.
 * Returns a number for expected_settle().
 */
unsigned expected_ask(const struct expected *expected, struct sample_instant *instant);
/* Called by the waiter in its turn: drops the time stamp unless the thread is still expected. */
void expected_settle(
	const struct expected *expected, unsigned number, struct sample_instant *instant);

/*
 * Called by the tracing thread in its turn, after it has resumed @tracee from a sample: expects it
 * on its CPU from now on.
 */
void expected_note(struct engine *engine, struct tracee *tracee);
/*
 * Called by the tracing thread in its turn, before @tracee is removed: no CPU expects it from now
 * on.
 */
void expected_forget(struct engine *engine, struct tracee *tracee);

#endif
