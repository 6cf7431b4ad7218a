/* SPDX-License-Identifier: MIT */
/*
 * Warns of programs that behave differently because they are traced:
 *
 * - A set-user-ID program, or one with file capabilities, runs without the privileges of its file
 *   if the tracer lacks CAP_SYS_PTRACE.
 * - A program that traces its children fails, as its children already have a tracer.
 *
 * The first program of each kind is reported. Another thread, the examiner, examines the
 * executables. An executable's file system may be served by the target itself (FUSE), and the
 * server may be in a ptrace-stop. So the tracing thread never accesses executables, and waits for
 * the examiner only for a limited time (test: test_fuse.sh).
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
 * Ask the examiner about the program, unless a program of the same kind was already reported. Call
 * special_see_exec() in the stop of an exec: does the program lack privileges? Call
 * special_see_child() in the stop in which @parent has made a child: does the program trace its
 * children?
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
