/* SPDX-License-Identifier: MIT */
/* When things are due that the engine's loop does: --delay, --duration, the figures of a second. */
#ifndef SUPERVISOR_TIMING_H
#define SUPERVISOR_TIMING_H

#include <stdbool.h>
#include <stdint.h>

struct engine_options;

/* CLOCK_MONOTONIC; 0 never. */
struct timing {
	uint64_t ends_at_ns;     /* --duration */
	uint64_t begins_at_ns;   /* --delay */
	uint64_t audit_again_ns; /* the figures are handed on */
	uint64_t swept_ns;       /* when the sweep over all threads last made a step */
	bool said_who_is_left;
	bool stop; /* let everything go and end */
};

/* The target runs: --delay and --duration begin. */
void timing_start(struct timing *timing, const struct engine_options *options);

#endif
