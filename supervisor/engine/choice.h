/* SPDX-License-Identifier: MIT */
/*
 * Which threads the profile is of (--thread-name, --tid). All threads are traced; one that is left
 * out is never stopped for the profile, and its CPU time is counted apart.
 *
 * Threads change their names, and nobody tells a tracer. So a name is looked at 2 ms after the
 * thread's birth, then whenever it is older by a quarter, and five times a second at last (with
 * more than 400 threads more rarely); at an exec, too. What a thread does is in the profile, or
 * not, by what was seen last: at every change its account is closed at the kernel's figure, so the
 * sums are those of the spans in which threads were chosen.
 */
#ifndef SUPERVISOR_CHOICE_H
#define SUPERVISOR_CHOICE_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/engine/choice_rule.h"

struct engine;
struct tracee;

struct choice {
	uint64_t next_ns; /* when a name is to be looked at, 0 never */
	bool any;         /* one was chosen */
};

/*
 * A thread that has its process is taken in: it may be sampled from now on if it is chosen. To be
 * called before its account begins. -ENOMEM: it is not sampled.
 */
int choice_add(struct engine *engine, struct tracee *tracee);

/* It has another image, and so another name. */
void choice_renew(struct engine *engine, struct tracee *tracee, uint64_t now_ns);

/* Looks at names that are due. */
void choice_turn(struct engine *engine, uint64_t now_ns);
/* When that is to be done next, 0: there is nothing to do. */
uint64_t choice_next(const struct engine *engine);

/* The tables of programs that call sprofil count threads that are left out, too. */
void choice_see_sessions(struct engine *engine);

/* How many threads that live are chosen. */
uint64_t choice_count(const struct engine *engine);

#endif
