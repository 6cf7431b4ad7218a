/* SPDX-License-Identifier: MIT */
/* How processes and threads come to be traced: born to a traced parent, or attached. */
#ifndef SUPERVISOR_BIRTH_H
#define SUPERVISOR_BIRTH_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/os/tracer.h"
#include "supervisor/target/target.h"

struct engine;
struct waiter_result;

struct births {
	struct tracer_options tracer; /* of all threads; @exits is set by exits_set() */
	int untraced_parent;          /* pid of a parent outside the target; 0: none yet */
	struct exit_watch untraced;   /* whether that parent has pidfds of its children */
	unsigned early;               /* number of held threads (tracee.early_since_ns) */
	bool said_no_memory;
	int last[2]; /* tids of the last birth: the parent, the child; 0: none yet */
};

/*
 * Attaches to all threads of a process. -ESRCH: the process has no thread left. On another -errno,
 * threads attached to so far stay attached; if there are none, the process is removed from the
 * target.
 */
int birth_attach(struct engine *engine, int pid);
/*
 * Adds the process or thread that @parent has made. Call it in the fork, vfork or clone event of
 * @parent, which stays stopped.
 */
void birth_adopt(struct engine *engine, struct tracee *parent);
/*
 * Handles a stop of a thread that no event has announced. @tracee: NULL at its first stop. A first
 * stop or a group-stop holds the thread until its parent's event; from other stops the thread is
 * resumed.
 */
void birth_early_stop(
	struct engine *engine, struct tracee *tracee, const struct waiter_result *seen);
/* Call when a thread is adopted, detached or dead: ends its hold, if any. */
void birth_end_hold(struct engine *engine, struct tracee *tracee);
/* Adopts threads that have been held for 50 ms although their parent's event has not come. */
void birth_adopt_orphans(struct engine *engine, uint64_t now_ns);
/*
 * Returns the executable of a process, or "[NAME]" if it cannot be read. Owned by engine->target.
 * NULL: out of memory.
 */
struct image *birth_image(struct engine *engine, int pid);

#endif
