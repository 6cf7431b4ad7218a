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
	bool any;         /* some thread was chosen */
};

/*
 * Adds a thread whose process is known: it may be sampled from now on if it is chosen. Must be
 * called before its account begins. -ENOMEM: the thread is not sampled.
 */
int choice_add(struct engine *engine, struct tracee *tracee);

/* The thread has a new image, and so a new name: reads it. */
void choice_renew(struct engine *engine, struct tracee *tracee, uint64_t now_ns);

/* Reads the names that are due. */
void choice_poll(struct engine *engine, uint64_t now_ns);

/*
 * To be called when sessions have changed: threads that are left out are sampled, too, while a
 * table of a program that calls sprofil counts them.
 */
void choice_see_sessions(struct engine *engine);

/* Number of live threads that are chosen. */
uint64_t choice_count(const struct engine *engine);

#endif
