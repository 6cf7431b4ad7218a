/* SPDX-License-Identifier: MIT */
/*
 * --rotate: a new file at intervals. The analyst is told that no more records will come, and writes
 * its profile, while a fresh analyst takes the records from then on. Each file is as complete as
 * that of a run, and memory use stays constant. No thread is stopped meanwhile: sampling pauses
 * first, until no stop is in progress.
 *
 * --ring is the same with profiles in memory (held_pieces.h), of which only the last ones are kept.
 * They are written as one profile on request, or at the end of --duration, or when a profiled
 * process is killed by a signal.
 */
#ifndef SUPERVISOR_ROTATE_H
#define SUPERVISOR_ROTATE_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/output/held_pieces.h"
#include "supervisor/output/self_audit.h"
#include "supervisor/sample/sampler.h"

struct engine;

/* Maximum analysts that write while another one takes records. */
enum { ROTATE_WRITERS = 4 };

struct rotation {
	uint64_t began_ns; /* CLOCK_MONOTONIC: begin of the file */
	uint64_t again_ns; /* CLOCK_MONOTONIC: when the file may end; 0 never */
	/* since when sampling has paused for the change of files; 0: no pause */
	uint64_t paused_ns;
	struct rotation_writer {
		int pid, fd; /* as engine_result.analyst_pid and _fd; pid 0: free */
	} writer[ROTATE_WRITERS];
	struct held_pieces pieces; /* --ring */
	bool asked;                /* --ring: the profile is to be written at the end */
	/* The counters when the file began, to be subtracted for the file's figures. */
	struct sample_figures sampled;
	struct session_figures calls;
	uint64_t repaired, unrepaired, undelivered, cpu_ns, cost_ns;
};

/* Allocates the first piece of --ring. -errno. Call before an analyst starts. */
int rotate_prepare(struct engine *engine);
/* Call when the first or another file begins: sets when it may end. */
void rotate_begin(struct engine *engine, uint64_t now);
/*
 * Handles the analyst's request for a new file: the current one ends as soon as it may
 * (FILE_LEAST_NS).
 */
void rotate_wanted(struct engine *engine, uint64_t now);
/*
 * Call when it was tried to start an analyst in the middle of a file: the file ends FILE_LEAST_NS
 * after @now at the earliest, as its name contains the second in which its analyst was started. If
 * sampling has paused for the end of the file, it goes on.
 */
void rotate_put_off(struct engine *engine, uint64_t now);
/*
 * Has the profile written with --ring if the process that has ended was named by the user, and a
 * signal killed it (@status: its wait status).
 */
void rotate_process_ended(struct engine *engine, int pid, uint32_t status);
/*
 * Returns the flags for the last RECORD_END of the run: they tell the analyst whether the user
 * wants the profile.
 */
uint16_t rotate_end_flags(const struct engine *engine);
/* Begins another file when it is time. Blocks at most while a process is started. */
void rotate_poll(struct engine *engine, uint64_t now);
/*
 * Call when a child has ended. If it is an analyst that was writing a file or a piece, seals the
 * piece and closes the descriptor kept for this analyst.
 */
void rotate_forget(struct rotation *rotation, int pid);
/*
 * Call at the end: waits for the analysts that still write. They no longer wait for a reader of
 * their output (engine_result.analyst_fd). The second signal that requests the end kills the
 * analyst that is waited for, and each further signal the next one.
 */
void rotate_join(struct engine *engine);

#endif
