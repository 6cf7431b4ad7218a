/* SPDX-License-Identifier: MIT */
/*
 * --rotate: a file each so often. The analyst is told that this is the end, and writes its profile
 * while a fresh one takes what comes from then on. So each file is as complete as that of a run,
 * memory stays flat, and the target is not stopped meanwhile: sampling pauses for a moment first,
 * until no stop is under way.
 *
 * --ring is the same with profiles in memory (pieces.h), of which only the last ones are kept. They
 * are written as one when somebody asks, or when what is profiled is killed by a signal.
 */
#ifndef SUPERVISOR_ROTATE_H
#define SUPERVISOR_ROTATE_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/engine/audit.h"
#include "supervisor/engine/pieces.h"
#include "supervisor/sample/sampler.h"

struct engine;

/* Analysts that may be writing while another one takes records. */
enum { ROTATE_WRITERS = 4 };

struct rotation {
	uint64_t began_ns;  /* CLOCK_MONOTONIC: the file's beginning */
	uint64_t again_ns;  /* CLOCK_MONOTONIC: when the file may be over; 0 never */
	uint64_t paused_ns; /* since when sampling pauses for the change of files; 0: it does not */
	struct rotation_writer {
		int pid, fd; /* as engine_result.analyst_pid and _fd; pid 0: free */
	} writer[ROTATE_WRITERS];
	struct held_pieces pieces; /* --ring */
	bool asked;                /* --ring: the end is to be written */
	/* What had been counted when the file began, of figures that go on. */
	struct sample_figures sampled;
	struct session_figures calls;
	uint64_t repaired, unrepaired, cpu_ns;
};

/* --ring: there is memory for the first piece. -errno. To be called before an analyst starts. */
int rotate_prepare(struct engine *engine);
/* The first file begins. */
void rotate_begin(struct engine *engine, uint64_t now);
/* The analyst says that the file is long enough. */
void rotate_wanted(struct engine *engine, uint64_t now);
/* --ring: a process that was attached to has ended. */
void rotate_process_ended(struct engine *engine, int pid, uint32_t status);
/* Flags of the last RECORD_END. */
uint16_t rotate_end_flags(const struct engine *engine);
/* Begins another file when it is time. Blocks no longer than the start of a process takes. */
void rotate_turn(struct engine *engine, uint64_t now);
/* A child that had this pid is gone. */
void rotate_forget(struct rotation *rotation, int pid);
/* The end: waits for those that still write; none of them waits for a reader any more. */
void rotate_join(struct rotation *rotation);

#endif
