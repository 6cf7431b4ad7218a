/* SPDX-License-Identifier: MIT */
/* Starts the analyst, which reads the ring, and replaces an analyst that has died. */
#ifndef SUPERVISOR_READER_H
#define SUPERVISOR_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/ring.h"
#include "supervisor/output/link.h"

struct engine;

/*
 * Maximum number of analysts started after the first one died, and of further tries in a row after
 * a start that failed.
 */
#define READER_RESTARTS_MOST 5

struct reader {
	struct link link;
	/*
	 * The mounts before the target ran, for the openers of all analysts (opener/mounts.h): text
	 * of mount_list_text() or of /proc/self/mountinfo, allocated. NULL: each opener reads it.
	 */
	char *mounts;
	/* Files on which an analyst died; its successors skip them. */
	char skip[READER_RESTARTS_MOST + 1][RING_WORKING_ON_BYTES];
	unsigned skips;
	uint64_t died_ns; /* CLOCK_MONOTONIC: when the analyst ended early; 0: it has not */
	int status;       /* wait status of the analyst that ended early */
	/*
	 * The last start of an analyst has failed, or none is started any more. No thread is
	 * stopped for the profile meanwhile, unless for the counters of --region.
	 */
	bool missing;
	unsigned failures; /* starts in a row that have failed */
	uint64_t again_ns; /* CLOCK_MONOTONIC: when the start is tried again; 0: it is not */
};

/*
 * Notes the mounts. Call before the target runs or is attached to, so that even file systems that
 * it mounts in its first instructions count as new. (test: test_unmount.sh)
 */
void reader_note_mounts(struct engine *engine);
/*
 * Starts an analyst, the first or after one died. If this fails, the target still runs on, and
 * reader_poll() tries again, READER_RESTARTS_MOST times at most.
 */
void reader_start(struct engine *engine);
/*
 * Closes the connection to the present analyst, and marks everything as unreported, for the next
 * one. An analyst that is alive finishes with the records that it has got.
 */
void reader_forget(struct engine *engine);
/* Call at the end of the run: frees the connection and the list of mounts. */
void reader_release(struct reader *reader);
/* Starts a fresh analyst during a run, and sends it the existing processes. */
void reader_begin(struct engine *engine);
/*
 * Notes that the analyst has ended early, with wait status @status, for reader_poll(). Its samples
 * are lost.
 */
void reader_died(struct engine *engine, int status);
/*
 * Call often: after reader_died(), or when a failed start is to be tried again, starts a fresh
 * analyst once no stop is pending, because a thread would stay stopped while the process is
 * started, up to 0.1 s on a busy machine. @last: starts it at once, because the run is over. True:
 * it was tried to start one.
 */
bool reader_poll(struct engine *engine, uint64_t now_ns, bool last);

#endif
