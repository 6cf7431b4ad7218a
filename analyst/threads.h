/* SPDX-License-Identifier: MIT */
/* The states of the target's threads, sampled or not. From /proc. */
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

/* Reads the states again, without threads that have ended. -ENOMEM. */
int thread_states_read(struct thread_states *states, const struct analyst *analyst);
/*
 * Are there threads of the target, and are all of them stopped by a signal? A thread that the
 * supervisor has stopped for a sample has the same state, 't'. So this must be called only while
 * the target uses no CPU time, as no samples are taken then.
 */
bool thread_states_all_stopped(const struct analyst *analyst);
void thread_states_release(struct thread_states *states);

#endif
