/* SPDX-License-Identifier: MIT */
/* The reader of the ring, the analyst: started, and started anew when it dies. */
#ifndef SUPERVISOR_READER_H
#define SUPERVISOR_READER_H

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
};

/* Starts an analyst, the first or after one died; without one the target still runs on. */
void reader_start(struct engine *engine);
/* What an analyst knows is not known to the next one. It may live: its records are complete. */
void reader_forget(struct engine *engine);
/* Starts a fresh one in the midst of a run, and tells it of the processes that there are. */
void reader_begin(struct engine *engine);
/* The analyst has ended with @status before its time. */
void reader_died(struct engine *engine, int status);

#endif
