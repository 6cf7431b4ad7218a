/* SPDX-License-Identifier: MIT */
/*
 * The only file that waits. It never blocks, except in waiter_join().
 *
 * Stops are looked at without being taken (WNOWAIT): the resume takes them. So if we die between
 * the look and the resume, the kernel still has the signal and delivers it (test:
 * signal_survives_our_death). Deaths are looked at first too, so that the CPU time of the zombie
 * can be read, and then reaped.
 */
#ifndef SUPERVISOR_WAITER_H
#define SUPERVISOR_WAITER_H

enum waiter_kind {
	WAITER_NOTHING,
	WAITER_STOP,    /* a ptrace-stop; status is signal | event << 8 */
	WAITER_GONE,    /* a zombie; status as wait(2) gives it */
	WAITER_FOREIGN, /* a child of ours that is no tracee was stopped */
};

struct waiter_result {
	enum waiter_kind kind;
	int tid;
	int status;
};

/* Looks for a stop or death of @tid, or of anyone (0). -ECHILD: no such child or tracee. */
int waiter_peek(int tid, struct waiter_result *ret_result);

/* Takes what waiter_peek() saw: reaps a zombie, or forgets a stop. */
int waiter_take(int tid);

/* Forgets a stop that is kept. A death that has come in its place stays to be seen. */
int waiter_take_stop(int tid);

/* Waits until child @pid ends; returns its wait status in @ret_status. -EINTR is not returned. */
int waiter_join(int pid, int *ret_status);

#endif
