/* SPDX-License-Identifier: MIT */
/*
 * Programs that behave differently because they are traced: programs with more privileges than
 * their user, which the kernel withholds if the tracer lacks CAP_SYS_PTRACE, and programs that
 * trace their own children, which already have a tracer. A message names each kind once. Their
 * executables are examined by another thread (examiner.h), so the message comes a little later.
 */
#ifndef SUPERVISOR_SPECIAL_H
#define SUPERVISOR_SPECIAL_H

#include <stdbool.h>

#include "supervisor/target/examiner.h"

struct process;
struct say;

struct special {
	const struct say *say;
	bool said_tracer, said_privilege;
	bool privileges_known, keeps_privileges; /* a traced program keeps its privileges */
	struct examiner examiner;
};

/* A process has called exec, or made a child. It is stopped. */
void special_see_exec(struct special *special, const struct process *process);
void special_see_child(struct special *special, const struct process *parent);

/*
 * Warns of what the examiner has found. Waits at most @most_ms for each answer that is still to
 * come.
 */
void special_poll(struct special *special, int most_ms);
void special_release(struct special *special);

#endif
