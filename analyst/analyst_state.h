/* SPDX-License-Identifier: MIT */
/* The analyst's state: analyst.c creates and frees it; take.c and hold.c fill it. */
#ifndef ANALYST_ANALYST_STATE_H
#define ANALYST_ANALYST_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyst/base/locations.h"
#include "analyst/counts.h"
#include "analyst/hold.h"
#include "analyst/processes.h"
#include "analyst/runtimes.h"
#include "analyst/shares.h"
#include "analyst/spaces.h"
#include "analyst/stacks.h"
#include "analyst/unsampled.h"
#include "analyst/wallclock.h"

struct profile;
struct symbolizer;

struct analyst {
	struct symbolizer *symbolizer;
	struct spaces spaces;
	struct profile *profile; /* its CPU values are planned weights until analyst_finish() */
	struct shares shares;
	float *factor; /* by stack (analyst_factors()); owned */
	size_t factor_room;
	struct locations locations;
	struct runtimes runtimes;
	struct stacks stacks;
	struct hold hold;
	bool per_process, no_timeline, user_only;
	uint32_t labels; /* the label set of all samples; 0: none */
	struct processes processes;
	const char *rank;
	void (*snapshot_now)(void *context);
	void (*serve_now)(void *context);
	void (*second)(void *context);
	void *context;
	struct unsampled unsampled;
	uint64_t began_ns, last_ns; /* CLOCK_MONOTONIC of the records */
	uint32_t first_pid;
	char *main_path; /* path of the first process's image; NULL: unknown */
	/* the first process has called exec since its first RECORD_EXEC */
	bool main_changed;
	struct wallclock wallclock;
	struct counts counts;
	bool has_image, ended, first_ended, snapshot;
	uint16_t end_flags;
	uint32_t first_status; /* wait status of the first process, if @first_ended */
};

#endif
