/* SPDX-License-Identifier: MIT */
/*
 * Mends the system call of a stopped thread (repair.h decides). Three ways:
 *
 *  - EINTR, no time-out: the result becomes "begin again unless a handler runs", and that is all.
 *  - EINTR, with a time-out: the same with what is left of the time in its place. The thread is
 *    stopped where it enters and where it leaves the call, and there it gets its registers back.
 *  - a transfer cut short: the call is begun again for the rest in the same manner, and its result
 *    becomes the sum.
 *
 * While a call is watched like that its thread is not asked for ticks. A structure is made for a
 * thread whose call was mended once, and lives as long as the thread.
 */
#ifndef SUPERVISOR_MEND_H
#define SUPERVISOR_MEND_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/target/mender.h"

struct arch_snapshot;
struct tracee;

/*
 * Resumes a thread from a tick stop, or from a stop before the delivery of @signal (0: none), after
 * mending its call where that is due. @snapshot: its registers, NULL when they could not be read.
 * Closes the stop window if there is something to mend. Returns when the stop was over.
 */
uint64_t mend_resume(struct mender *mender, struct tracee *tracee, int signal,
	const struct arch_snapshot *snapshot);

/* The same, reading the registers. */
void mend_deliver(struct mender *mender, struct tracee *tracee, int signal);

/* A thread enters or leaves a call that is watched; resumes it. */
void mend_call_stop(struct mender *mender, struct tracee *tracee);

/* A thread stops with its process: its call is given back as the kernel left it. Does not resume.
 */
void mend_group_stop(struct mender *mender, struct tracee *tracee);
/* The end of that: what failed with EINTR by it has failed rightly. Resumes. */
void mend_group_stop_over(struct mender *mender, struct tracee *tracee);

/*
 * Ends calls whose time is over, where the kernel began to count afresh (time-outs of sockets).
 * For every tick.
 */
void mend_expire(struct mender *mender, uint64_t now_ns);

/* Is a call of this thread being watched? */
bool mend_busy(const struct tracee *tracee);

/*
 * We are about to end: waits for calls that are watched, a fraction of a second, and gives the rest
 * back as if they had been interrupted.
 */
void mend_let_go(struct mender *mender);

#endif
