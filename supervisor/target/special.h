/* SPDX-License-Identifier: MIT */
/*
 * Programs that fare differently because they are traced: those with more privilege than their
 * user, which the kernel does not give to a program whose tracer lacks CAP_SYS_PTRACE, and those
 * that trace their own children, which have a tracer already. Both are said, once each.
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

/* A process has called exec; has made a child. */
void special_see_exec(struct special *special, const struct process *process);
void special_see_child(struct special *special, const struct process *parent);

/*
 * Does a process, by its /proc/PID/status, lack what its file of this mode and owner would give it?
 * @capabilities: the file has some. Pure.
 */
bool special_lost_privilege(
	const char *status, unsigned mode, unsigned uid, unsigned gid, bool capabilities);

#endif
