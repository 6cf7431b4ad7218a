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

/* Has the kernel stop @t at its exit, or not, as exits_stop() says; @t is in a stop. */
void exits_set(struct engine *engine, struct tracee *t);

/*
 * Is @t, which has stopped as it begins to exit, to be detached? False if its parent holds no pidfd
 * of it, or has a traced thread that sleeps in a wait for it: that thread learns of the end after
 * the supervisor.
 */
bool exits_untraced(struct engine *engine, const struct tracee *t);

#endif
