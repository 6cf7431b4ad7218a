/* SPDX-License-Identifier: MIT */
/*
 * On which CPU the supervisor wakes up.
 *
 * An interrupt that is sent to a thread on another CPU takes some microseconds to arrive. Meanwhile
 * the thread runs on, and if it enters or leaves a system call it stops there. So a program that
 * makes a system call every few microseconds would be seen in them too often: sqlite3 reading its
 * page cache was found in pread(2) 18 % of the time where it spent 5 %. A supervisor that wakes on
 * the thread's own CPU takes that CPU from it at the very moment, and it then stops where it was.
 * But all of the supervisor's work is then done at the thread's cost: at 1 kHz it loses 9 % of its
 * time, and 4 % when it is interrupted from another CPU.
 *
 * So the supervisor keeps to the CPU of a lone busy thread that makes system calls. With several of
 * them it goes, before it sleeps, to the CPU of the one that it will sample next. Threads without
 * calls are interrupted where they are (turns.c).
 */
#ifndef SUPERVISOR_FOLLOW_H
#define SUPERVISOR_FOLLOW_H

#include <sched.h>
#include <stdbool.h>

struct follow {
	cpu_set_t allowed; /* what the supervisor was started with */
	unsigned cpus;     /* in allowed */
	int cpu;           /* the one that it keeps to, -1 none */
	int next; /* where to go when the stops that are awaited here are over, -1 nowhere */
};

void follow_init(struct follow *follow);

/* May the supervisor be on this CPU? */
bool follow_may(const struct follow *follow, int cpu);

/* From now on be on CPU @cpu, if that is allowed. */
void follow_to(struct follow *follow, int cpu);

/* Any of the allowed CPUs again. */
void follow_stop(struct follow *follow);

#endif
