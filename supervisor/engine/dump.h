/* SPDX-License-Identifier: MIT */
/*
 * --dump: one stack of every thread, and no profile. A thread is stopped once, as for a tick. A
 * thread that sleeps in a call whose time-out a stop would restart is examined without a stop:
 * /proc/PID/task/TID/syscall says where it waits, and its stack is copied meanwhile.
 */
#ifndef SUPERVISOR_DUMP_H
#define SUPERVISOR_DUMP_H

#include <stdint.h>

struct engine;
struct tracee;

void dump_run(struct engine *engine);
/* As stops_take(); the second for a thread in a group-stop, which stays stopped. */
void dump_stop(struct engine *engine, struct tracee *tracee, int signal);
void dump_group_stop(struct engine *engine, struct tracee *tracee);
/* Another event has come in place of the stop (lifecycle.h): it is asked for once more. */
void dump_again(struct engine *engine, struct tracee *tracee, int32_t syscall);

#endif
