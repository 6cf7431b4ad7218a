/* SPDX-License-Identifier: MIT */
/*
 * --dump: one stack of every thread, and no profile. A thread is stopped for it once, like for a
 * tick. One that sleeps in a call whose time-out would begin afresh is looked at without a stop:
 * where it waits is told by /proc/PID/task/TID/syscall, and its stack is copied as it lies there.
 */
#ifndef SUPERVISOR_DUMP_H
#define SUPERVISOR_DUMP_H

struct engine;
struct tracee;

void dump_run(struct engine *engine);
/* As stops_take(); and of a thread that is left stopped with its process. */
void dump_stop(struct engine *engine, struct tracee *tracee, int signal);
void dump_group_stop(struct engine *engine, struct tracee *tracee);

#endif
