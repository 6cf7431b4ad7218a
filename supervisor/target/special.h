/* SPDX-License-Identifier: MIT */
/*
 * Warns of programs that behave differently because they are traced. Set-user-ID programs and those
 * with file capabilities do not get these privileges if the tracer lacks CAP_SYS_PTRACE. Programs
 * that trace their children fail, as these have a tracer. The first program of each kind is
 * reported, after another thread has examined it (examiner.h).
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
	bool privileges_known; /* keeps_privileges has been determined */
	bool keeps_privileges; /* we have CAP_SYS_PTRACE: a traced program keeps its privileges */
	struct examiner examiner;
};

/*
 * Ask the examiner about the program, unless its kind was warned of. Call special_see_exec() in the
 * stop of an exec, special_see_child() in that of the birth of a child of @parent.
 */
void special_see_exec(struct special *special, const struct process *process);
void special_see_child(struct special *special, const struct process *parent);

/* Prints warnings for the examiner's answers; waits at most @most_ms for each. */
void special_poll(struct special *special, int most_ms);
void special_release(struct special *special);

#endif
