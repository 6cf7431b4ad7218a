/* SPDX-License-Identifier: MIT */
/* The life of the target's processes and threads: acts on what ptrace events tell. */
#ifndef SUPERVISOR_LIFECYCLE_H
#define SUPERVISOR_LIFECYCLE_H

#include <stdbool.h>

struct engine;
struct tracee;
struct waiter_result;

/* What becomes of stops, which differs between a profile and --dump. */
struct lifecycle_stops {
	/* A tick stop, asked for or not; resumes the thread, with @signal. */
	void (*tick)(struct engine *engine, struct tracee *tracee, int signal);
	/* The thread stops with its process, and is left so. NULL: nothing. */
	void (*group)(struct engine *engine, struct tracee *tracee);
};

struct lifecycle {
	const struct lifecycle_stops *stops;
	bool undrained;    /* more has happened than was handled; no signal will tell of it */
	bool executed;     /* the command has got as far as its exec */
	bool told_begun;   /* engine_options.begun was called */
	bool hung_up;      /* the terminal is gone, and the supervisor leads the session */
	bool stop_pending; /* the terminal asked for a stop (^Z); the command decides */
};

/* Acts on what waiter_peek() saw. */
void lifecycle_handle(struct engine *engine, const struct waiter_result *seen);
/* Looks for stops and deaths of anyone, and acts on them; bounded. */
void lifecycle_drain(struct engine *engine);
/* ^Z: when the command lets itself be stopped, so do we, and the shell sees its job stopped. */
void lifecycle_stop_with_command(struct engine *engine);
/*
 * Forgets threads that are gone though no wait told of it, some at each call: for what nobody
 * thought of, since the engine waits for the last thread to end.
 */
void lifecycle_sweep(struct engine *engine);

#endif
