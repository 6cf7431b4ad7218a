/* SPDX-License-Identifier: MIT */
/*
 * Which thread is expected to run on a CPU: the scheduler has put it there after its last sample.
 * Its waiter reads that thread's time stamp before its turn, so the turn is short.
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
	int fd; /* the thread's scheduling file; -1: no descriptor was to be had */
};

/* In the waiter's thread, before its turn. Returns a number for expected_settle(). */
unsigned expected_ask(const struct expected *expected, struct sample_instant *instant);
/* In its turn: what was read counts only if the same thread is still expected. */
void expected_settle(
	const struct expected *expected, unsigned number, struct sample_instant *instant);

/*
 * For the tracing thread, while it is its turn: @tracee has been resumed after a sample; it is
 * about to be removed.
 */
void expected_note(struct engine *engine, struct tracee *tracee);
void expected_forget(struct engine *engine, struct tracee *tracee);

#endif
