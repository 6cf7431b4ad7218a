/* SPDX-License-Identifier: MIT */
/*
 * Programs that behave differently because they are traced: programs with more privileges than
 * their user, which the kernel withholds if the tracer lacks CAP_SYS_PTRACE, and programs that
 * trace their own children, which already have a tracer. A message names each kind once.
 */
#ifndef SUPERVISOR_SPECIAL_H
#define SUPERVISOR_SPECIAL_H

#include <stdbool.h>

struct process;
struct say;

struct special {
	const struct say *say;
	bool said_tracer, said_privilege;
};

/* A process has called exec, or made a child. */
void special_see_exec(struct special *special, const struct process *process);
void special_see_child(struct special *special, const struct process *parent);

/*
 * Does a process with this /proc/PID/status lack the privileges that its file of this mode and
 * owner would give? @capabilities: the file has some. Pure.
 */
bool special_lost_privilege(
	const char *status, unsigned mode, unsigned uid, unsigned gid, bool capabilities);

#endif
