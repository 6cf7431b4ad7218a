/* SPDX-License-Identifier: MIT */
/*
 * Tables of elapsed time (CALL_WALL). Threads at work are counted by the sampler, as for any table;
 * here those that are blocked are looked at, without a stop. What they owe is kept by their table
 * (session_elapse) until a thread of the process stops: only then is its memory written.
 */
#ifndef SUPERVISOR_ELAPSE_H
#define SUPERVISOR_ELAPSE_H

#include <stddef.h>
#include <stdint.h>

struct engine;

struct elapser {
	uint64_t next_ns; /* when threads are looked at again */
	size_t cursor;    /* in target.tracee */
};

/* Looks at some threads in turn, if it is time; bounded. */
void elapse_tick(struct engine *engine, uint64_t now_ns);
/* When it wants to be called again, 0: never. */
uint64_t elapse_next(const struct engine *engine);

#endif
