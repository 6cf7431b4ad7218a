/* SPDX-License-Identifier: MIT */
/*
 * On which CPU the supervisor wakes up.
 *
 * An interrupt that is sent to a thread on another CPU takes some microseconds to arrive. Meanwhile
 * the thread runs on, and if it enters or leaves a system call it stops there. So a program that
 * makes a system call every few microseconds would be seen in them too often: sqlite3 reading its
 * page cache was found in pread(2) 18 % of the time where it spent 5 %. A supervisor that wakes on
 * the thread's own CPU takes that CPU from it at the very moment, and it then stops where it was; the
 * stop is shorter, too, by the way of the interrupt.
 *
 * So where one thread alone is busy, the supervisor keeps to that thread's CPU, and follows when the
 * scheduler moves it. With several busy threads it cannot be with all, and goes where it is put.
 */
#ifndef SUPERVISOR_FOLLOW_H
#define SUPERVISOR_FOLLOW_H

#include <sched.h>
#include <stdbool.h>

struct follow {
	cpu_set_t allowed; /* what the supervisor was started with */
	unsigned cpus;	   /* in allowed */
	int cpu;	   /* the one that it keeps to, -1 none */
};

void follow_init(struct follow *follow);

/* A thread was found on CPU @cpu, another one than ours: from the next wake-up on be there. */
void follow_to(struct follow *follow, int cpu);

/* Any of the allowed CPUs again. */
void follow_stop(struct follow *follow);

#endif
