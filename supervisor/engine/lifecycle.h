/* SPDX-License-Identifier: MIT */
/* The life of the target's processes and threads: acts on ptrace events. */
#ifndef SUPERVISOR_LIFECYCLE_H
#define SUPERVISOR_LIFECYCLE_H

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct tracee;
struct waiter_result;

/* The handling of stops, which differs between a profile and --dump. */
struct lifecycle_stops {
	/* A tick stop, requested or not. Resumes the thread, with @signal. */
	void (*tick)(struct engine *engine, struct tracee *tracee, int signal);
	/* The thread enters a group-stop, and stays in it. NULL: nothing to do. */
	void (*group)(struct engine *engine, struct tracee *tracee);
	/*
	 * Another event came in place of the stop that was requested; the thread stands still, or
	 * is dead. @syscall: the system call in which it has been since the request; negative:
	 * unknown.
	 */
	void (*overtaken)(struct engine *engine, struct tracee *tracee, int32_t syscall);
};

struct lifecycle {
	const struct lifecycle_stops *stops;
	/* more events are pending than were handled; no signal will announce them */
	bool undrained;
	/*
	 * How long the kernel took to find no stop among all threads, and until when it is not
	 * asked again for that; 0: few threads, it is asked each time.
	 */
	uint64_t search_ns, search_at_ns;
	bool search_due;   /* it is to be asked then */
	bool executed;     /* the command has reached its exec */
	bool begun_called; /* engine_options.begun has been called */
	bool hung_up;      /* the terminal is gone, and the supervisor leads its session */
	/* stop signal that the terminal sent (^Z) and on which the command decides; 0: none */
	int stop_signal;
	/*
	 * When a SIGCONT that the supervisor got is passed on to a command that is still stopped;
	 * 0: none.
	 */
	uint64_t continues_at_ns;
};

/* Handles an event returned by waiter_peek(). */
void lifecycle_handle(struct engine *engine, const struct waiter_result *seen);
/* Looks for stops and deaths of any thread, and handles them; bounded. */
void lifecycle_drain(struct engine *engine);
/*
 * As lifecycle_drain(), after a SIGCHLD. Among thousands of threads the search takes a tenth of a
 * millisecond and more: the threads of the last birth are asked by their tids, and all others only
 * if three times as long has passed since the last search as that took, or a millisecond. Otherwise
 * search_due is set.
 */
void lifecycle_notice(struct engine *engine, uint64_t now_ns);
/*
 * ^Z: if the command lets itself be stopped, the supervisor stops too, so that the shell sees its
 * job stopped.
 */
void lifecycle_stop_with_command(struct engine *engine);
/*
 * Handles SIGCONT: a user who continues the job by the pid that the shell knows means the command.
 */
void lifecycle_continue_command(struct engine *engine, uint64_t now_ns);
/*
 * Removes threads that are gone although no wait reported them, a few per call. This covers
 * unforeseen cases: the engine waits until the last thread ends.
 */
void lifecycle_sweep(struct engine *engine);

#endif
