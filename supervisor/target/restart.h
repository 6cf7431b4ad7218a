/* SPDX-License-Identifier: MIT */
/*
 * Restarts the system call of a stopped thread (restart_rule.h decides). Three cases:
 *
 *  - EINTR, call without a time-out: the result becomes "restart unless a handler runs".
 *  - EINTR, call with a time-out: the same, with the remaining time as time-out. The thread is
 *    stopped at entry to and exit from the call, where its registers are restored.
 *  - A transfer cut short: the call is restarted for the rest in the same way, and its result
 *    becomes the sum.
 *
 * While a call is watched in this way, its thread is not interrupted for ticks: it is known to be
 * in that call. The structure is allocated at a thread's first restart and lives as long as the
 * thread.
 */
#ifndef SUPERVISOR_RESTART_H
#define SUPERVISOR_RESTART_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/target/restarter.h"

struct activity;
struct arch_snapshot;
struct tracee;

/*
 * Resumes a thread from a tick stop, or from the signal-delivery-stop of @signal (0: none), after
 * restarting its call if necessary. @snapshot: the thread's registers, NULL if they could not be
 * read. Closes the stop window if there is something to restart. Returns the time at which the stop
 * ended.
 */
uint64_t restart_resume(struct restarter *restarter, struct tracee *tracee, int signal,
	const struct arch_snapshot *snapshot);

/* Like restart_resume(); reads the registers itself. */
void restart_deliver(struct restarter *restarter, struct tracee *tracee, int signal);

/* A thread enters or leaves a watched call. Resumes it. */
void restart_call_stop(struct restarter *restarter, struct tracee *tracee);

/* A thread enters a group-stop: restores its call as the kernel left it. Does not resume. */
void restart_group_stop(struct restarter *restarter, struct tracee *tracee);
/* The group-stop is over: a call that it made fail with EINTR stays failed. Resumes. */
void restart_group_stop_over(struct restarter *restarter, struct tracee *tracee);

/*
 * Ends calls whose deadline has passed although the kernel restarted their time-out (sockets). Call
 * at every tick.
 */
void restart_expire(struct restarter *restarter, uint64_t now_ns);

/* Is a call of this thread watched? */
bool restart_busy(const struct tracee *tracee);
/*
 * The watched call and the thread's pc and sp in it, as /proc shows them for a thread that sleeps.
 * Only if restart_busy().
 */
struct activity restart_activity(const struct tracee *tracee);

/*
 * The supervisor is about to end: waits a fraction of a second for watched calls, and makes the
 * rest look interrupted.
 */
void restart_end(struct restarter *restarter);

#endif
