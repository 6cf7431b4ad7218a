/* SPDX-License-Identifier: MIT */
/* The state of system call restarts (restart.h), and the callbacks to its user. */
#ifndef SUPERVISOR_RESTARTER_H
#define SUPERVISOR_RESTARTER_H

#include <stdbool.h>
#include <stdint.h>

struct process;
struct procfiles;
struct target;

struct restart_events {
	/* A call of @process turns profiling off (CALL_OFF_FIRST in proto/call.h). */
	void (*turn_off)(void *context, struct process *process);
	/* Handles pending stops and deaths. */
	void (*drain)(void *context);
};

struct restarter {
	struct target *target;
	struct procfiles *files;
	const struct restart_events *events;
	void *context;
	/* the supervisor ends, so no call is restarted that must be watched to its end */
	bool ending;
	uint64_t next_ns;    /* next deadline of a watched call; 0: none */
	uint64_t repaired;   /* number of system calls restarted after a stop had disturbed them */
	uint64_t unrepaired; /* calls that failed with EINTR at a stop and could not be restarted */
};

#endif
