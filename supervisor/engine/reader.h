/* SPDX-License-Identifier: MIT */
/* The reader of the ring, the analyst: started, and started anew when it dies. */
#ifndef SUPERVISOR_READER_H
#define SUPERVISOR_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/ring.h"
#include "supervisor/engine/link.h"

struct engine;

/* Most analysts that are started after the first one died. */
#define READER_RESTARTS_MOST 5

struct reader {
	struct link link;
	/* Files that an analyst died of; its successors leave them alone. */
	char skip[READER_RESTARTS_MOST + 1][RING_WORKING_ON_BYTES];
	unsigned skips;
	uint64_t died_ns; /* CLOCK_MONOTONIC: an analyst has ended before its time; 0 none has */
	int status;       /* its wait status */
};

/* Starts an analyst, the first or after one died; without one the target still runs on. */
void reader_start(struct engine *engine);
/* What an analyst knows is not known to the next one. It may live: its records are complete. */
void reader_forget(struct engine *engine);
/* Starts a fresh one in the midst of a run, and tells it of the processes that there are. */
void reader_begin(struct engine *engine);
/* The analyst has ended with @status before its time. Its samples are lost. */
void reader_died(struct engine *engine, int status);
/*
 * Starts a fresh analyst after that, once no stop is under way: a thread would stand still while a
 * process is started, up to 0.1 s on a busy machine. @last: at once, as the run is over.
 */
void reader_turn(struct engine *engine, uint64_t now_ns, bool last);

#endif
