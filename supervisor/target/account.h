/* SPDX-License-Identifier: MIT */
/* A thread's CPU time, as the kernel charges it. */
#ifndef SUPERVISOR_ACCOUNT_H
#define SUPERVISOR_ACCOUNT_H

#include <stdint.h>

#include "supervisor/os/procfs.h"

struct account {
	uint64_t start_ns;    /* run time at which counting began */
	uint64_t told_ns;     /* run time up to which the analyst has been told */
	uint64_t told_at_ns;  /* CLOCK_MONOTONIC of that */
	struct cpu_time seen; /* the last reading: up to a scheduler tick stale outside a stop */
	uint64_t seen_at_ns;  /* CLOCK_MONOTONIC */
	uint64_t moved_at_ns; /* when a reading last differed from the one before */
};

#endif
