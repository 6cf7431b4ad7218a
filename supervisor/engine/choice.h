/* SPDX-License-Identifier: MIT */
/*
 * Selects the threads to profile (--thread-name, --tid). All threads are traced; a thread that is
 * left out is never stopped for the profile, and its CPU time is counted separately.
 *
 * A tracer gets no event when a thread changes its name. Therefore the name is read 2 ms after the
 * thread's birth, then at intervals of a quarter of the thread's age, which grow to a fifth of a
 * second (longer with more than 400 threads), and at an exec. The last name read decides whether
 * the thread is profiled. Whenever that changes, the thread's account is closed at its present CPU
 * time, so the sums cover exactly the spans in which threads were chosen.
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

/*
 * Adds a thread whose process is known: it may be sampled from now on if it is chosen. Must be
 * called before its account begins. -ENOMEM: the thread is not sampled.
 */
int choice_add(struct engine *engine, struct tracee *tracee);

/* Call after the thread's exec, which has changed its name: reads the new name. */
void choice_renew(struct engine *engine, struct tracee *tracee, uint64_t now_ns);

/* Reads the names that are due. */
void choice_poll(struct engine *engine, uint64_t now_ns);

/*
 * Call when sessions have changed. Threads that are not chosen must be sampled, too, as long as
 * their program has a sprofil table, which counts all its threads.
 */
void choice_see_sessions(struct engine *engine);

/* Returns the number of live threads that are chosen. */
uint64_t choice_count(const struct engine *engine);

#endif
