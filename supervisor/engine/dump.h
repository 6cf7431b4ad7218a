/* SPDX-License-Identifier: MIT */
/*
 * --dump: one stack of every thread that lives when the dump begins, and no profile. A thread is
 * stopped once, as for a tick, unless it sleeps in a system call whose time-out would begin anew:
 * then /proc/PID/task/TID/syscall says where it waits, and its stack is copied without a stop.
 */
#ifndef SUPERVISOR_DUMP_H
#define SUPERVISOR_DUMP_H

#include <stdint.h>

struct engine;
struct tracee;

void dump_run(struct engine *engine);
/* Takes the stack of a thread in a tick stop, and resumes the thread with @signal (0: none). */
void dump_stop(struct engine *engine, struct tracee *tracee, int signal);
/* Takes the stack of a thread in a group-stop, without ending the group-stop. */
void dump_group_stop(struct engine *engine, struct tracee *tracee);
/* Requests a stop once more, after another event has come in its place (lifecycle.h). */
void dump_again(struct engine *engine, struct tracee *tracee, int32_t syscall);

#endif
