/* SPDX-License-Identifier: MIT */
/* The reader of the ring, the analyst: started, and replaced when it dies. */
#ifndef SUPERVISOR_READER_H
#define SUPERVISOR_READER_H

#include "proto/ring.h"
#include "supervisor/engine/link.h"

struct engine;

/* Maximum number of analysts started after the first one died. */
#define READER_RESTARTS_MOST 5

struct reader {
	struct link link;
	/* Files on which an analyst died; its successors skip them. */
	char skip[READER_RESTARTS_MOST + 1][RING_WORKING_ON_BYTES];
	unsigned skips;
};

/* Starts an analyst, the first or after one died. If this fails, the target still runs on. */
void reader_start(struct engine *engine);
/*
 * Forgets what the present analyst knows, for a new one. It may be alive: its records are complete.
 */
void reader_forget(struct engine *engine);
/* Starts a fresh analyst during a run, and sends it the existing processes. */
void reader_begin(struct engine *engine);
/* The analyst has ended early, with @status. */
void reader_died(struct engine *engine, int status);

#endif
