/* SPDX-License-Identifier: MIT */
/* When the tasks of the engine's loop are due: --delay, --duration, the figures of each second. */
#ifndef SUPERVISOR_TIMING_H
#define SUPERVISOR_TIMING_H

#include <stdbool.h>
#include <stdint.h>

struct engine_options;

/* All times are CLOCK_MONOTONIC; 0: never. */
struct timing {
	uint64_t ends_at_ns;     /* --duration */
	uint64_t begins_at_ns;   /* --delay */
	uint64_t audit_again_ns; /* when the figures are sent next */
	uint64_t swept_ns;       /* time of the last step of the sweep over all threads */
	bool delayed;            /* --delay is not over */
	bool frozen;             /* sampling is frozen by the live view or by the server */
	bool said_who_is_left;
	bool stop; /* detach from everything and end */
};

/* Begins --delay and --duration: the target runs from now on. */
void timing_start(struct timing *timing, const struct engine_options *options);

#endif
