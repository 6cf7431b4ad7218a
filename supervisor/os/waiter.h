/* SPDX-License-Identifier: MIT */
/*
 * The only file that waits for children and tracees. Never blocks, except in waiter_join().
 *
 * Stops are read without being consumed (WNOWAIT); the resume consumes them. If the supervisor dies
 * between reading a stop and the resume, the kernel still has the signal and delivers it (test:
 * signal_survives_our_death). Deaths are also read without being consumed, so that the CPU time of
 * the zombie can be read before it is reaped.
 */
#ifndef SUPERVISOR_WAITER_H
#define SUPERVISOR_WAITER_H

enum waiter_kind {
	WAITER_NOTHING,
	WAITER_STOP,    /* a ptrace-stop; status is signal | event << 8 */
	WAITER_GONE,    /* a zombie; status as wait(2) gives it */
	WAITER_FOREIGN, /* a child of ours that is not a tracee was stopped */
};

struct waiter_result {
	enum waiter_kind kind;
	int tid;
	int status;
};

/* Looks for a stop or death of @tid, or of any thread (0). -ECHILD: no such child or tracee. */
int waiter_peek(int tid, struct waiter_result *ret_result);

/* Consumes what waiter_peek() saw: reaps a zombie, or forgets a stop. */
int waiter_take(int tid);

/* Forgets a stop. If the thread has died meanwhile, its death is still reported. */
int waiter_take_stop(int tid);

/* Waits until child @pid ends; sets *@ret_status to its wait status. Never returns -EINTR. */
int waiter_join(int pid, int *ret_status);

#endif
