/* SPDX-License-Identifier: MIT */
/*
 * Tables of elapsed time (CALL_WALL). The sampler counts running threads, this file blocked ones,
 * without a stop. The ticks of a blocked thread are kept (session_elapse) until a thread of its
 * process stops: the target's memory is written only then.
 */
#ifndef SUPERVISOR_ELAPSE_H
#define SUPERVISOR_ELAPSE_H

#include <stddef.h>
#include <stdint.h>

struct engine;

struct elapser {
	uint64_t next_ns; /* CLOCK_MONOTONIC: when threads are examined next */
	size_t cursor;    /* index in target.tracee */
};

/* Examines some threads in turn, if it is time. A call takes a bounded time. */
void elapse_tick(struct engine *engine, uint64_t now_ns);
/* Returns when elapse_tick() is due; 0: never. */
uint64_t elapse_next(const struct engine *engine);

#endif
