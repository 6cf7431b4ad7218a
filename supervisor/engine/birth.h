/* SPDX-License-Identifier: MIT */
/* How processes and threads come to be traced: born to a traced parent, or attached. */
#ifndef SUPERVISOR_BIRTH_H
#define SUPERVISOR_BIRTH_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/os/tracer.h"

struct engine;
struct image;
struct tracee;
struct waiter_result;

struct births {
	struct tracer_options tracer; /* PTRACE_SEIZE's options */
	unsigned early;               /* threads in TRACEE_EARLY */
	bool said_no_memory;
	int last[2]; /* tids of the last birth: the parent, the child; 0: none yet */
};

/*
 * Attaches to all threads of a process. -ESRCH: it has no thread to attach to. After another
 * -errno some threads may be attached to; the process is removed only if none is.
 */
int birth_attach(struct engine *engine, int pid);
/*
 * Adds the process or thread that @parent has just made. @parent is still in the stop of that
 * event, and is not resumed here.
 */
void birth_adopt(struct engine *engine, struct tracee *parent);
/*
 * Takes a stop of a thread that no event has announced yet. A first stop is held until the parent's
 * event comes; any other one is ended.
 */
void birth_early_stop(struct engine *engine, const struct waiter_result *seen);
/* Adopts threads whose parent's event never came. */
void birth_adopt_orphans(struct engine *engine, uint64_t now_ns);
/* Returns the executable of a process, owned by the target; NULL: out of memory. */
struct image *birth_image(struct engine *engine, int pid);

#endif
