/* SPDX-License-Identifier: MIT */
/*
 * --rotate: a file each so often. The analyst is told that this is the end, and writes its profile
 * while a fresh one takes what comes from then on. So each file is as complete as that of a run,
 * memory stays flat, and the target is not stopped meanwhile: sampling pauses for a moment first,
 * until no stop is under way.
 */
#ifndef SUPERVISOR_ROTATE_H
#define SUPERVISOR_ROTATE_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/engine/audit.h"
#include "supervisor/sample/sampler.h"

struct engine;

/* Analysts that may be writing while another one takes records. */
enum { ROTATE_WRITERS = 4 };

struct rotation {
	uint64_t again_ns;  /* CLOCK_MONOTONIC: when the file may be over; 0 never */
	uint64_t paused_ns; /* since when no samples are taken, for the change of files; 0: they are
			     */
	struct rotation_writer {
		int pid, fd; /* as engine_result.analyst_pid and _fd; pid 0: free */
	} writer[ROTATE_WRITERS];
	/* What had been counted when the file began, of figures that go on. */
	struct sample_figures sampled;
	struct session_figures calls;
	uint64_t repaired, unrepaired, cpu_ns;
};

/* The first file begins. */
void rotate_begin(struct engine *engine, uint64_t now);
/* Begins another file when it is time. Blocks no longer than the start of a process takes. */
void rotate_turn(struct engine *engine, uint64_t now);
/* A child that had this pid is gone. */
void rotate_forget(struct rotation *rotation, int pid);
/* The end: waits for those that still write; none of them waits for a reader any more. */
void rotate_join(struct rotation *rotation);

#endif
