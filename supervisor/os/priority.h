/* SPDX-License-Identifier: MIT */
/*
 * The scheduling of the threads that sample. In real time (SCHED_FIFO, the lowest priority of that
 * class) they get their CPU at once when they wake up; it is never inherited by anything that they
 * start, and a thread that uses a CPU without a pause loses it.
 */
#ifndef SUPERVISOR_PRIORITY_H
#define SUPERVISOR_PRIORITY_H

#include <stdbool.h>

/* Real time for the calling thread. -EPERM: not permitted (RLIMIT_RTPRIO, CAP_SYS_NICE). */
int priority_realtime(void);

/* Would priority_realtime() be permitted? The calling thread is as it was. */
bool priority_may_be_realtime(void);

/*
 * Without it: a short time slice, by which the scheduler prefers a thread that wakes up
 * (Linux 6.12), and timers without slack.
 */
void priority_prompt(void);

/*
 * Once a process, before the first priority_realtime(): a thread that is busy in real time for a
 * quarter of a second on end goes back to the fair class. (The kernel sends SIGXCPU for
 * RLIMIT_RTTIME; the threads of priority_realtime() take it, others must block it.)
 */
int priority_guard(void);

/* Back to the fair class, as priority_prompt(), for the calling thread. */
void priority_give_up(void);

/* Does the calling thread still have real time? */
int priority_is_realtime(void);

#endif
