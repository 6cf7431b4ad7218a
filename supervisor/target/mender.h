/* SPDX-License-Identifier: MIT */
/* The state of the mending of calls (mend.h), and what it asks of whoever runs it. */
#ifndef SUPERVISOR_MENDER_H
#define SUPERVISOR_MENDER_H

#include <stdbool.h>
#include <stdint.h>

struct process;
struct procfiles;
struct target;

struct mend_events {
	/* @process turns its profiling off by a call that a stop sees (proto/call.h). */
	void (*turn_off)(void *context, struct process *process);
	/* Acts on the stops and deaths that have come. */
	void (*drain)(void *context);
};

struct mender {
	struct target *target;
	struct procfiles *files;
	const struct mend_events *events;
	void *context;
	uint64_t scheduler_tick_ns; /* 0: CPUs run without one, or readings are too coarse */
	bool letting_go;            /* no call is mended any more in a way that is to be watched */
	uint64_t next_ns;           /* when a watched call has waited long enough; 0: none has to */
	uint64_t repaired;          /* system calls that a stop disturbed, and that were mended */
	uint64_t unrepaired;        /* that failed with EINTR at a stop and had to be left so */
};

#endif
