/* SPDX-License-Identifier: MIT */
/* Which threads the target has and what they do, whether they were sampled or not. From /proc. */
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

/* Reads them anew. Those that are gone meanwhile are left out. -ENOMEM. */
int thread_states_read(struct thread_states *states, const struct analyst *analyst);
/*
 * Are all its threads stopped by a signal? Those of a tracee show as traced ('t') then, as they do
 * in a sampler's stop: to be asked of a target that takes no CPU time. Reads up to the first
 * process that is not stopped.
 */
bool thread_states_all_stopped(const struct analyst *analyst);
void thread_states_release(struct thread_states *states);

/*
 * "7 (a) b) R 1 …", a stat file, to its name "a) b" and its state 'R'. -EPROTO.
 */
int thread_states_parse(const char *text, struct thread_state *state);

#endif
