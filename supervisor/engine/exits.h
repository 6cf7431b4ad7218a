/* SPDX-License-Identifier: MIT */
/*
 * Which processes end under trace. A parent that polls a pidfd learns of its child's end at once,
 * but cannot collect the child before the supervisor has reaped it (race: pidfd_meets_zombie). A
 * process whose parent holds a pidfd of it is therefore detached when it begins to exit; the CPU
 * time of its exit is not counted.
 */
#ifndef SUPERVISOR_EXITS_H
#define SUPERVISOR_EXITS_H

#include <stdbool.h>

struct engine;
struct tracee;

/* Does thread @t stop when it begins to exit? First threads do, except the command's. */
bool exits_stop(const struct engine *engine, const struct tracee *t);

/*
 * Is @t, which has stopped as it begins to exit, to be detached? False if its parent holds no
 * pidfd of it, or has a thread that sleeps in a wait for it: such a parent learns of the end only
 * after the supervisor.
 */
bool exits_untraced(struct engine *engine, const struct tracee *t);

#endif
