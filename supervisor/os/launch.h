/* SPDX-License-Identifier: MIT */
/*
 * Starts the command so that it is traced before its first instruction: the child waits, is seized,
 * and then calls exec. The first event is PTRACE_EVENT_EXEC.
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

/* What the command inherits: as without the supervisor, or as requested. */
struct launch_state {
	sigset_t mask;
	/*
	 * The command ignores SIGCHLD. The supervisor must not, as stops would not be announced.
	 */
	bool children_ignored;
	struct rlimit files;      /* RLIMIT_NOFILE */
	char *const *environment; /* NULL: ours; PATH is always taken from ours */
	/* user of the command; NULL: ours. Another user's command gets a session of its own. */
	const struct launch_user *user;
	/*
	 * The terminal of this process's session, if it is for the command alone: the command then
	 * gets a process group in the terminal's foreground, but no session of its own. NULL: the
	 * terminal is ours, or there is none.
	 */
	const int *terminal;
	const int *streams; /* the command's descriptors 0, 1 and 2; NULL: ours */
};

struct launch {
	int pid;   /* of the child, 0 none */
	int go_fd; /* the child waits for a byte from this pipe */
	/*
	 * Readable when the exec has been tried: errno (4 bytes) if it failed, end of file if not.
	 */
	int error_fd;
};

/*
 * Forks the child, which waits. @state applies to it. -errno: no child was made. Call from a
 * thread that lives as long as the command: a program that requests a signal at its parent's death
 * (PR_SET_PDEATHSIG) gets it when the *thread* that forked it ends (test: pdeathsig).
 */
int launch_begin(char *const argv[], const struct launch_state *state, struct launch *ret_launch);

/*
 * Call from the tracing thread: lets the child execute the command. -errno of the seize, which
 * fails where ptrace is not permitted.
 */
int launch_go(struct launch *launch, const struct tracer_options *options);

/* Call instead of launch_go(), from the thread that called launch_begin(): the child ends. */
void launch_abandon(struct launch *launch);

/* Is @tid the child before its exec, when it still runs code of the supervisor? */
bool launch_is_before_exec(const struct launch *launch, int tid);

/*
 * Call after the child ended without an exec event: returns the errno of the exec, 0 if the exec
 * was not the cause. Does not wait for a child that has not tried the exec yet. Closes error_fd;
 * further calls return 0.
 */
int launch_exec_error(struct launch *launch);

#endif
