/* SPDX-License-Identifier: MIT */
/* Starts the analyst, which reads the ring, and replaces an analyst that has died. */
#ifndef SUPERVISOR_READER_H
#define SUPERVISOR_READER_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/ring.h"
#include "supervisor/output/link.h"

struct engine;

/* Maximum restarts after analysts died, and maximum tries in a row after a failed start. */
#define READER_RESTARTS_MOST 5

struct reader {
	struct link link;
	/*
	 * The mounts before the target ran, for all analysts' openers (opener/mounts.h): text of
	 * mount_list_text() or of /proc/self/mountinfo, allocated. NULL: each opener reads the
	 * mounts itself.
	 */
	char *mounts;
	/* Files on which an analyst died; its successors skip them. */
	char skip[READER_RESTARTS_MOST + 1][RING_WORKING_ON_BYTES];
	unsigned skips;
	uint64_t died_ns; /* CLOCK_MONOTONIC: when the analyst ended early; 0: it has not */
	int status;       /* wait status of the analyst that ended early */
	/*
	 * The last start of an analyst failed, or there are no more tries: no thread is stopped for
	 * the profile, only for the counters of --region.
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
/* Starts an analyst. On failure reader_poll() tries again, READER_RESTARTS_MOST times at most. */
void reader_start(struct engine *engine);
/* Closes the connection: a live analyst finishes. For the next analyst everything is unreported. */
void reader_forget(struct engine *engine);
void reader_release(struct reader *reader);
/* Starts a fresh analyst during a run, and sends it the existing processes. */
void reader_begin(struct engine *engine);
/* Notes that the analyst has ended early, for reader_poll(). @status: its wait status. */
void reader_died(struct engine *engine, int status);
/*
 * Call often: after reader_died() or a failed start, starts an analyst once no stop is pending (a
 * thread would stay stopped meanwhile, up to 0.1 s on a busy machine). If @last, the run is over,
 * and it starts one at once. Returns true if it tried to.
 */
bool reader_poll(struct engine *engine, uint64_t now_ns, bool last);

#endif
