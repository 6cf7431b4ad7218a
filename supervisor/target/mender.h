/* SPDX-License-Identifier: MIT */
/* The state of the repair of calls (mend.h), and the callbacks to its user. */
#ifndef SUPERVISOR_MENDER_H
#define SUPERVISOR_MENDER_H

#include <stdbool.h>
#include <stdint.h>

struct process;
struct procfiles;
struct target;

struct mend_events {
	/* @process turns its profiling off by a call that a stop shows (proto/call.h). */
	void (*turn_off)(void *context, struct process *process);
	/* Handles pending stops and deaths. */
	void (*drain)(void *context);
};

struct mender {
	struct target *target;
	struct procfiles *files;
	const struct mend_events *events;
	void *context;
	bool letting_go;            /* at the end: no new repairs that would have to be watched */
	uint64_t next_ns;           /* next deadline of a watched call; 0: none */
	uint64_t repaired;          /* system calls that a stop disturbed and that were repaired */
	uint64_t unrepaired; /* calls that failed with EINTR at a stop and could not be repaired */
};

#endif
