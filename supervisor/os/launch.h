/* SPDX-License-Identifier: MIT */
/*
 * Starts the command so that it is traced before its first instruction: the child waits, is seized,
 * and then executes; the first thing we hear of it is PTRACE_EVENT_EXEC.
 */
#ifndef SUPERVISOR_LAUNCH_H
#define SUPERVISOR_LAUNCH_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "supervisor/os/tracer.h"

struct launch_user {
	uid_t uid;
	gid_t gid, *groups;
	size_t groups_n;
};

/* What the command is to inherit as if we were not there, or as it was asked for. */
struct launch_state {
	sigset_t mask;
	bool children_ignored; /* SIGCHLD is SIG_IGN; with us it must not be: no stop would be told
				  of */
	struct rlimit files;
	char *const *environment;       /* NULL: ours; PATH is looked along as it is here */
	const struct launch_user *user; /* NULL: ours */
	const int *streams;             /* what it gets as descriptors 0, 1 and 2; NULL: ours */
};

struct launch {
	int pid;      /* 0 none */
	int go_fd;    /* what the child waits for */
	int error_fd; /* readable: errno of a failed exec (4 bytes), or end of file after a good one
		       */
};

/*
 * Forks the child, which waits. @state is what to restore in it. -errno of fork. To be called from
 * a thread that lives as long as the command: a program that has asked for a signal at its parent's
 * death (PR_SET_PDEATHSIG) gets it when the *thread* that forked it ends (test: pdeathsig).
 */
int launch_begin(char *const argv[], const struct launch_state *state, struct launch *ret_launch);

/*
 * Call from the tracing thread: lets the child be the command. -errno of the seize, which is
 * refused where ptrace is.
 */
int launch_go(struct launch *launch, const struct tracer_options *options);

/* It does not come to that: the child is gone. From the thread of launch_begin(). */
void launch_abandon(struct launch *launch);

/*
 * Is @tid the child before its exec, a copy of the supervisor? What it does is the supervisor's
 * doing.
 */
bool launch_is_before_exec(const struct launch *launch, int tid);

/* After the child ended without an exec event: errno of the exec, 0 if it was not that. */
int launch_exec_error(struct launch *launch);

#endif
