/* SPDX-License-Identifier: MIT */
/*
 * The thread expected on a CPU at the next instant: the one last resumed there from a sample. The
 * CPU's waiter reads that thread's last context switch before its turn with the sampler
 * (cpu_waiter.h). This shortens the turn, for whose end the waiters of other CPUs wait.
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

/* For the tracing thread in its turn: expects @tracee, just resumed from a sample, on its CPU. */
void expected_note(struct engine *engine, struct tracee *tracee);
/* For the tracing thread in its turn, before @tracee is removed: no CPU expects it any more. */
void expected_forget(struct engine *engine, struct tracee *tracee);

#endif
