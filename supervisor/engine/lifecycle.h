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
	/*
	 * Handles a stop for a tick, also one that comes without a request: takes the sample or the
	 * stack that is due, and resumes the thread with @signal.
	 */
	void (*tick)(struct engine *engine, struct tracee *tracee, int signal);
	/*
	 * Called when the thread enters a group-stop, in which it stays. NULL: nothing is to be
	 * done.
	 */
	void (*group)(struct engine *engine, struct tracee *tracee);
	/*
	 * Called when another event came in place of the stop that was requested. The thread stands
	 * still, or is dead. @syscall: the system call in which it has been since the request;
	 * negative: unknown.
	 */
	void (*overtaken)(struct engine *engine, struct tracee *tracee, int32_t syscall);
};

struct lifecycle {
	const struct lifecycle_stops *stops;
	/* a bounded drain has left pending events; no further SIGCHLD announces them */
	bool undrained;
	/*
	 * Duration of the last search among all threads that found no event, and when the next one
	 * is permitted (CLOCK_MONOTONIC). Both 0 with few threads: each SIGCHLD leads to a search.
	 */
	uint64_t search_ns, search_at_ns;
	bool search_due;   /* a search must be made at search_at_ns */
	bool executed;     /* the command has reached its exec */
	bool begun_called; /* engine_options.begun has been called */
	bool hung_up;      /* the terminal is gone, and the supervisor leads its session */
	/* stop signal (^Z) by which this process stops, too, if the command soon does; 0: none */
	int stop_signal;
	uint64_t stop_signal_ns; /* CLOCK_MONOTONIC: when it came */
	/*
	 * When a SIGCONT that the supervisor got is passed on to a command that is still stopped;
	 * 0: none.
	 */
	uint64_t continues_at_ns;
};

/* Looks for stops and deaths of any thread, and handles a bounded number of them. */
void lifecycle_drain(struct engine *engine);
/*
 * Handles events after a SIGCHLD. Among thousands of threads a search for an event takes 0.1 ms or
 * more. Therefore, with more than 512 threads, each call examines only the two threads of the last
 * birth. It searches all threads only if a pause has passed since the last search: three times the
 * duration of that search, 1 ms at most. Otherwise it sets search_due.
 */
void lifecycle_notice(struct engine *engine, uint64_t now_ns);
/*
 * Call on ^Z, with the stop signal that came: if the command has stopped, or does within 10 s, the
 * supervisor stops too, so that the shell sees its job stopped.
 */
void lifecycle_stop_with_command(struct engine *engine, int signal);
/*
 * Passes a SIGCONT on to the command when continues_at_ns is reached, if the command is still
 * stopped: a user who sends SIGCONT to the supervisor, whose pid the shell shows for the job, wants
 * the command to continue.
 */
void lifecycle_continue_command(struct engine *engine, uint64_t now_ns);
/*
 * Removes threads that are gone although no wait reported them, a few per call. This covers
 * unforeseen cases, in which the engine would never see the end of the last thread.
 */
void lifecycle_sweep(struct engine *engine);

#endif
