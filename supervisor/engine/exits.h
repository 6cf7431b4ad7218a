/* SPDX-License-Identifier: MIT */
/*
 * Which processes end untraced. A parent that polls a pidfd learns of its child's end at once, but
 * cannot collect the child before the supervisor has reaped it (race: pidfd_meets_zombie). A
 * process whose parent holds a pidfd of it is therefore detached when its first thread begins to
 * exit. The CPU time of that exit is not counted.
 */
#ifndef SUPERVISOR_EXITS_H
#define SUPERVISOR_EXITS_H

#include <stdbool.h>

struct engine;
struct tracee;

/* Will @t, a thread in a stop, stop again when it begins to exit? Most first threads do. */
bool exits_stop(const struct engine *engine, const struct tracee *t);

/*
 * Has the kernel stop @t at its exit if exits_stop() is true, and else not. @t must be in a stop.
 */
void exits_set(struct engine *engine, struct tracee *t);

/*
 * Is @t, which has stopped as it begins to exit, to be detached? True if its parent holds a pidfd
 * of @t, and no traced thread of the parent sleeps in a wait for @t. Such a wait returns only after
 * the supervisor has reaped @t, so no detaching is needed.
 */
bool exits_untraced(struct engine *engine, const struct tracee *t);

#endif
