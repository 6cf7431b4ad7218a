/* SPDX-License-Identifier: MIT */
/*
 * Warns of programs that behave differently because they are traced. Set-user-ID programs and those
 * with file capabilities do not get these privileges if the tracer lacks CAP_SYS_PTRACE. Programs
 * that trace their children fail, as these have a tracer. The first program of each kind is
 * reported, after another thread, the examiner, has examined it.
 *
 * The file system of such a file may be served by the target itself (FUSE), and the server may be
 * in a ptrace-stop. So the tracing thread never accesses these files, and waits for no answer
 * without a limit. (test: test_fuse.sh)
 */
#ifndef SUPERVISOR_SPECIAL_H
#define SUPERVISOR_SPECIAL_H

#include <stdbool.h>

struct process;
struct say;

struct special {
	const struct say *say;
	bool said_tracer, said_privilege;
	bool privileges_known; /* keeps_privileges has been determined */
	bool keeps_privileges; /* we have CAP_SYS_PTRACE: a traced program keeps its privileges */
	bool failed;           /* the examiner cannot be started */
	bool started;
	int socket;     /* connection to the examiner; valid if @started */
	unsigned asked; /* questions that the examiner has not answered yet */
};

/*
 * Ask the examiner about the program, unless its kind was warned of. Call special_see_exec() in the
 * stop of an exec, special_see_child() in that of the birth of a child of @parent.
 */
void special_see_exec(struct special *special, const struct process *process);
void special_see_child(struct special *special, const struct process *parent);

/* Prints warnings for the examiner's answers; waits at most @most_ms for each. */
void special_poll(struct special *special, int most_ms);
/* Closes the connection to the examiner, which ends by itself once it is idle. */
void special_release(struct special *special);

/*
 * Does a process with this /proc/PID/status lack privileges that its executable would give it, by
 * the file's mode, owner and group? @capabilities: the file has file capabilities. Pure.
 */
bool special_lost_privilege(
	const char *status, unsigned mode, unsigned uid, unsigned gid, bool capabilities);

#endif
