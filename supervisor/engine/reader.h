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
	 * List of the mounts from before the target ran, for the opener of each analyst
	 * (opener/mounts.h). It is text of mount_list_text() or of /proc/self/mountinfo, allocated.
	 * NULL: each opener reads the mounts itself.
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
 * Notes the mounts. Call before the target runs or is attached to. Then no file system that the
 * target mounts is in the list, even if it does so in its first instructions. (test:
 * test_unmount.sh)
 */
void reader_note_mounts(struct engine *engine);
/* Starts an analyst. On failure reader_poll() tries again, READER_RESTARTS_MOST times at most. */
void reader_start(struct engine *engine);
/*
 * Closes the connection: a live analyst finishes. All processes, names and mappings count as
 * unreported, so that the next analyst gets them.
 */
void reader_forget(struct engine *engine);
void reader_release(struct reader *reader);
/* Starts a fresh analyst during a run, and sends it the existing processes. */
void reader_begin(struct engine *engine);
/* Notes that the analyst has ended early, for reader_poll(). @status: its wait status. */
void reader_died(struct engine *engine, int status);
/*
 * Call often. After reader_died() or a failed start, this starts an analyst once no stop is
 * pending: a thread would stay stopped while the analyst starts, up to 0.1 s on a busy machine. If
 * @last, the run is over, and an analyst is started at once. Returns true if a start was tried.
 */
bool reader_poll(struct engine *engine, uint64_t now_ns, bool last);

#endif
