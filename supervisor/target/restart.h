/* SPDX-License-Identifier: MIT */
/*
 * Restarts the system call that a stop has disturbed; restart_rule.h decides which. Three cases:
 *
 *  - EINTR of a call without a time-out: the result becomes ARCH_RESTART, "restart unless a handler
 *    runs".
 *  - EINTR of a call with a time-out: the result becomes ARCH_RESTART, and the time-out argument
 *    becomes the remaining time. The call is watched: the thread is stopped at the call's entry and
 *    at its exit. At the exit, the thread's registers are restored.
 *  - A transfer cut short: the call is restarted for the remaining bytes and watched. At the exit,
 *    its result becomes the sum of the bytes of both parts.
 *
 * While its call is watched, a thread is not interrupted for samples: it is known to be in that
 * call. struct restart is allocated at a thread's first restart and lives as long as the thread.
 */
#ifndef SUPERVISOR_RESTART_H
#define SUPERVISOR_RESTART_H

#include <stdbool.h>
#include <stdint.h>

struct activity;
struct arch_snapshot;
struct process;
struct procfiles;
struct target;
struct tracee;

struct restart_events {
	/* A call of @process turns profiling off (CALL_OFF_FIRST in proto/call.h). */
	void (*turn_off)(void *context, struct process *process);
	/* Handles all pending stops and deaths of threads; called while restart_end() waits. */
	void (*drain)(void *context);
};

struct restarter {
	struct target *target;
	struct procfiles *files;
	const struct restart_events *events;
	void *context;
	/* the supervisor is about to end: no restarted call is watched up to its exit any more */
	bool ending;
	uint64_t next_ns;    /* next deadline of a watched call; 0: none */
	uint64_t repaired;   /* number of system calls restarted after a stop had disturbed them */
	uint64_t unrepaired; /* calls that failed with EINTR at a stop and could not be restarted */
};

/*
 * Resumes a thread from a requested stop (@signal is 0) or from the signal-delivery-stop of
 * @signal. Restarts the thread's call if necessary; leaves the stop window before that. @snapshot:
 * the thread's registers; NULL: they are unreadable. Returns the time at which the stop ended
 * (CLOCK_MONOTONIC).
 */
uint64_t restart_resume(struct restarter *restarter, struct tracee *tracee, int signal,
	const struct arch_snapshot *snapshot);

/* Like restart_resume(); reads the registers itself. */
void restart_deliver(struct restarter *restarter, struct tracee *tracee, int signal);

/* Handles the entry of a thread to its watched call, or its exit from there, and resumes it. */
void restart_call_stop(struct restarter *restarter, struct tracee *tracee);

/*
 * Call when a thread enters a group-stop. Undoes the restart of its call. The thread stays stopped.
 */
void restart_group_stop(struct restarter *restarter, struct tracee *tracee);
/* Resumes the thread after a group-stop. If that made its call fail, the call stays failed. */
void restart_group_stop_over(struct restarter *restarter, struct tracee *tracee);

/* Call in each round of the loop: ends watched calls on sockets whose deadline has passed. */
void restart_expire(struct restarter *restarter, uint64_t now_ns);

/* Is a call of this thread being restarted and watched? */
bool restart_busy(const struct tracee *tracee);
/*
 * Call if restart_busy(): returns the watched call, its pc and sp as /proc shows them in a sleep.
 */
struct activity restart_activity(const struct tracee *tracee);

/*
 * Call when the supervisor ends. Gives watched transfers 0.2 s to complete; interrupts other
 * watched calls, so that they stop and need not be watched any more.
 */
void restart_end(struct restarter *restarter);

#endif
