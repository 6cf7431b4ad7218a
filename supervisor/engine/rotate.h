/* SPDX-License-Identifier: MIT */
/*
 * --rotate: a new file at intervals. The analyst is told that no more records will come, and writes
 * its profile, while a fresh analyst takes the records. Each file is complete, and memory use stays
 * constant. Sampling pauses before the change until no stop is in progress.
 *
 * --ring: the same with profiles in memory (held_pieces.h), of which only the last ones are kept.
 * They are written as one profile on request, at the end of --duration, or when a signal kills the
 * command or a process that the user named.
 */
#ifndef SUPERVISOR_ROTATE_H
#define SUPERVISOR_ROTATE_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/calls/session.h"
#include "supervisor/output/held_pieces.h"
#include "supervisor/output/self_audit.h"
#include "supervisor/sample/sampler.h"

struct engine;

/* Maximum analysts that write while another one takes records. */
enum { ROTATE_WRITERS = 4 };

struct rotation {
	uint64_t began_ns;  /* CLOCK_MONOTONIC: begin of the file */
	uint64_t again_ns;  /* CLOCK_MONOTONIC: when the file may end; 0: never */
	uint64_t paused_ns; /* since when sampling pauses for a change of files; 0: no pause */
	struct rotation_writer {
		int pid, fd; /* an analyst and its pipe (engine_result.analyst_fd); pid 0: free */
	} writer[ROTATE_WRITERS];
	struct held_pieces pieces; /* --ring */
	bool asked;                /* --ring: the profile is to be written at the end */
	/* The counters when the file began, to be subtracted for the file's figures. */
	struct sample_figures sampled;
	struct session_figures calls;
	uint64_t repaired, unrepaired, undelivered, cpu_ns, cost_ns;
};

/*
 * Call before an analyst starts. If the run may have several files, gives the run its number
 * (self_audit.recording), once. With --ring, allocates a piece for the analyst. 0 or -errno.
 */
int rotate_prepare(struct engine *engine);
/* Call when the first or another file begins: sets when it may end. */
void rotate_begin(struct engine *engine, uint64_t now);
/* Handles the analyst's request for a new file: the old one ends when FILE_LEAST_NS permits. */
void rotate_wanted(struct engine *engine, uint64_t now);
/*
 * Call when the start of an analyst was tried within a file: ends a pause of sampling. The name of
 * the file has the time when its analyst started, to the second. So the file now ends FILE_LEAST_NS
 * after @now at the earliest.
 */
void rotate_put_off(struct engine *engine, uint64_t now);
/* --ring: has the profile written if a process that the user named was killed (@status). */
void rotate_process_ended(struct engine *engine, int pid, uint32_t status);
/* Returns the flags of the run's last RECORD_END, which say whether the user wants the profile. */
uint16_t rotate_end_flags(const struct engine *engine);
/* Begins another file when it is time. Blocks at most while a process is started. */
void rotate_poll(struct engine *engine, uint64_t now);
/*
 * Call when a child has ended. If it was an analyst, closes our descriptor for it, and makes its
 * piece unchangeable (held_pieces.h).
 */
void rotate_forget(struct rotation *rotation, int pid);
/*
 * Call at the end: waits for the analysts that still write, one after another. They no longer wait
 * for a reader of their output. The second signal that requests the end, and each later one, kills
 * the analyst that is being waited for.
 */
void rotate_join(struct engine *engine);

#endif
