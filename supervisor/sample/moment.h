/* SPDX-License-Identifier: MIT */
/*
 * Whom did the supervisor take the CPU from when it woke up?
 *
 * A server that sleeps and wakes 20,000 times a second is found runnable more often than it runs:
 * while we are on its CPU, a message comes for it, and it waits for us to go. A tick paid then goes
 * to the call that it slept in, where no time was spent at that moment: redis-server was found in
 * epoll_wait(2) 55 % of the time where it spent 25 %. And one that was running may sleep by the
 * time we look, because the kernel does not let itself be interrupted on the way there.
 *
 * The scheduler knows. When it takes a thread off a CPU it notes the time as that thread's
 * exec_start, and as that of the one that comes next: at one switch both are the same nanosecond.
 * Both can be read in /proc/PID/task/TID/sched, of kernels with CONFIG_SCHED_DEBUG (those of the
 * distributions).
 */
#ifndef SUPERVISOR_MOMENT_H
#define SUPERVISOR_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

struct moment {
	int fd;            /* of the tracing thread's own file; -1: not open */
	int tid, other_fd; /* the thread that was asked for last, and its file; 0 and -1: none */
	bool none;         /* the kernel has no such files */
	uint64_t ours;     /* when we came, by the scheduler's clock; 0: not read */
};

enum moment_was {
	MOMENT_UNKNOWN,   /* the kernel does not tell */
	MOMENT_REPLACED,  /* it was on this CPU until we came */
	MOMENT_ELSEWHERE, /* it was off the CPUs, or on another one */
	MOMENT_LATE,      /* that was not foreseen when we woke up; ask at the next wake-up */
};

void moment_init(struct moment *moment);
void moment_release(struct moment *moment);

/*
 * The tracing thread has woken up. Right then its own note is read, if an answer will be @wanted:
 * it changes when another thread is put in the queue. That costs 10 to 20 us.
 */
void moment_begin(struct moment *moment, bool wanted);

/* Of thread @tid of process @pid. */
enum moment_was moment_of(struct moment *moment, int pid, int tid);

/*
 * "redis-server (7, #threads: 5)\n---\nse.exec_start    :    23722024.318874\n…" (milliseconds) to
 * 23722024318874. -EPROTO.
 */
int moment_parse(const char *text, uint64_t *ret_ns);

#endif
