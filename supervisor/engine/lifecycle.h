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
	 * Handles a stop in which a thread may be sampled, requested or not. Resumes the thread
	 * with @signal (0: none).
	 */
	void (*tick)(struct engine *engine, struct tracee *tracee, int signal);
	/* The thread enters a group-stop, in which it stays. NULL: nothing to do. */
	void (*group)(struct engine *engine, struct tracee *tracee);
	/*
	 * Another event came in place of the requested stop; the thread stands still, or is dead.
	 * @syscall: its system call since the request; negative: unknown.
	 */
	void (*overtaken)(struct engine *engine, struct tracee *tracee, int32_t syscall);
};

struct lifecycle {
	const struct lifecycle_stops *stops;
	/* a bounded drain has left pending events; no further SIGCHLD announces them */
	bool undrained;
	/*
	 * Duration in ns of the last search among all threads, if it found no event; and when the
	 * next search is permitted (CLOCK_MONOTONIC). Both are 0 with few threads.
	 */
	uint64_t search_ns, search_at_ns;
	bool search_due;   /* a search must be made at search_at_ns */
	bool executed;     /* the command has reached its exec */
	bool begun_called; /* engine_options.begun has been called */
	bool hung_up;      /* the terminal is gone, and the supervisor leads its session */
	/* stop signal (^Z) by which this process stops if the command soon stops; 0: none */
	int stop_signal;
	uint64_t stop_signal_ns; /* CLOCK_MONOTONIC: when it came */
	/*
	 * When the command, if it is still stopped, gets the SIGCONT that came to the supervisor
	 * (CLOCK_MONOTONIC); 0: none came.
	 */
	uint64_t continues_at_ns;
};

/* Looks for stops and deaths of any thread, and handles a bounded number of them. */
void lifecycle_drain(struct engine *engine);
/*
 * Handles events after a SIGCHLD. With more than 512 threads, a search among all of them for the
 * one that has stopped takes 0.1 ms or more. After a search there is a pause, three times as long
 * as the search, 1 ms at most. In the pause only the parent and the child of the last birth are
 * examined, and search_due is set: a search is due after the pause.
 */
void lifecycle_notice(struct engine *engine, uint64_t now_ns);
/*
 * Call on ^Z: if the command has stopped, or does within 10 s, the supervisor stops too, so that
 * the shell sees its job stopped. @signal: the stop signal that came.
 */
void lifecycle_stop_with_command(struct engine *engine, int signal);
/*
 * Passes SIGCONT on at continues_at_ns if the command is still stopped: a user who sends SIGCONT to
 * the supervisor, whose pid the shell shows for the job, wants the command to continue.
 */
void lifecycle_continue_command(struct engine *engine, uint64_t now_ns);
/* Removes threads that are gone though no wait reported them (unforeseen cases), a few per call. */
void lifecycle_sweep(struct engine *engine);

#endif
