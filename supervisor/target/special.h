/* SPDX-License-Identifier: MIT */
/*
 * Warns of programs that behave differently because they are traced. Set-user-ID programs and those
 * with file capabilities do not get these privileges if the tracer lacks CAP_SYS_PTRACE. Programs
 * that trace their children fail to do so, as these already have a tracer. There is one message for
 * the first program of each kind. Another thread examines the executables (examiner.h), so the
 * message comes a little later.
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
 * Ask the examiner whether the program behaves differently because it is traced, unless a warning
 * of that kind was printed already. Call special_see_exec() in the stop of an exec, and
 * special_see_child() in that of the birth of a child of @parent.
 */
void special_see_exec(struct special *special, const struct process *process);
void special_see_child(struct special *special, const struct process *parent);

/*
 * Prints warnings for the examiner's answers. Waits at most @most_ms for each outstanding answer.
 */
void special_poll(struct special *special, int most_ms);
void special_release(struct special *special);

#endif
