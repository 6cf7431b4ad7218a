/* SPDX-License-Identifier: MIT */
/*
 * Selects the threads to profile (--thread-name, --tid). All threads are traced; one that is left
 * out is never stopped for the profile, and its CPU time is counted separately.
 *
 * No event tells a tracer that a thread has changed its name. So the name is read 2 ms after the
 * thread's birth, at an exec, and then at intervals. An interval is a quarter of the time since the
 * thread's birth, its exec, or when it was last chosen or left out. Intervals are at most 0.2 s
 * (longer with more than 400 threads). When a thread is chosen or left out, its accounts are
 * closed: so the CPU time in the profile covers exactly the spans in which threads were chosen.
 */
#ifndef SUPERVISOR_CHOICE_H
#define SUPERVISOR_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/choice_rule.h"

struct engine;
struct tracee;

struct choice {
	uint64_t next_ns; /* when choice_poll() is due; 0: never */
	bool any;         /* some thread has been chosen during the run */
};

/* Adds a thread of a known process. Call before its account begins. -ENOMEM: it is not sampled. */
int choice_add(struct engine *engine, struct tracee *tracee);

/* Call after the thread's exec, which has changed its name: reads the new name. */
void choice_renew(struct engine *engine, struct tracee *tracee, uint64_t now_ns);

/* Reads the names that are due. */
void choice_poll(struct engine *engine, uint64_t now_ns);

/* Call when sessions have changed: a sprofil table also counts threads that are left out. */
void choice_see_sessions(struct engine *engine);

/* Returns the number of live threads that are chosen. */
uint64_t choice_count(const struct engine *engine);

#endif
