/* SPDX-License-Identifier: MIT */
/* The CPU time of a thread, as charged by the kernel. */
#ifndef SUPERVISOR_ACCOUNT_H
#define SUPERVISOR_ACCOUNT_H

#include <stdint.h>

#include "supervisor/os/procfs.h"

struct account {
	uint64_t start_ns;       /* CPU time at which counting began */
	uint64_t reported_ns;    /* CPU time reported to the analyst */
	uint64_t reported_at_ns; /* CLOCK_MONOTONIC of that report */
	/* last reading; unless made in a stop, it may be a scheduler tick old */
	struct cpu_time seen;
	uint64_t seen_at_ns;  /* CLOCK_MONOTONIC of that reading */
	uint64_t moved_at_ns; /* when a reading last differed from the previous one */
};

#endif
