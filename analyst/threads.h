/* SPDX-License-Identifier: MIT */
/* The threads of the target and their states, whether they were sampled or not. From /proc. */
#ifndef ANALYST_THREADS_H
#define ANALYST_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct analyst;

struct thread_state {
	uint32_t pid, tid;
	char state; /* as in /proc/PID/stat: R S D T t Z … */
	char name[32];
};

struct thread_states {
	struct thread_state *thread;
	size_t n, room;
};

/* Reads the states again. Threads that have ended meanwhile are skipped. -ENOMEM. */
int thread_states_read(struct thread_states *states, const struct analyst *analyst);
/*
 * Are all threads of the target stopped by a signal, and is there any? A traced thread that a
 * signal has stopped has the state 't', but so has one that we stop for a sample. Therefore to be
 * called only while the target uses no CPU time, as no samples are taken then. Reads no further
 * than the first process that is not stopped.
 */
bool thread_states_all_stopped(const struct analyst *analyst);
void thread_states_release(struct thread_states *states);

#endif
