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
	/* the command ignores SIGCHLD; we do not, as it tells us of stops */
	bool children_ignored;
	struct rlimit files;      /* RLIMIT_NOFILE */
	char *const *environment; /* NULL: ours; PATH is always taken from ours */
	/* user of the command; NULL: ours. Without @terminal, another user gets a new session. */
	const struct launch_user *user;
	/*
	 * Our session's terminal, if only the command uses it: the command gets a process group in
	 * the terminal's foreground, but no new session. NULL: we use the terminal, or there is
	 * none.
	 */
	const int *terminal;
	const int *streams; /* the command's descriptors 0, 1 and 2; NULL: ours */
};

struct launch {
	int pid;   /* pid of the child; 0: none */
	int go_fd; /* the child waits for a byte from this pipe */
	/* Readable after the exec: errno (4 bytes) if it failed, otherwise end of file. */
	int error_fd;
};

/*
 * Forks the child, which waits. 0 or -errno. Call from a thread that lives as long as the command:
 * PR_SET_PDEATHSIG signals the end of the *thread* that forked (test: pdeathsig).
 */
int launch_begin(char *const argv[], const struct launch_state *state, struct launch *ret_launch);

/* Call from the tracing thread: seizes the child and lets it exec. 0, or -errno of the seize. */
int launch_go(struct launch *launch, const struct tracer_options *options);

/* Call instead of launch_go(), from the thread that called launch_begin(): the child ends. */
void launch_abandon(struct launch *launch);

/* Is @tid the child before its exec, when it still runs code of the supervisor? */
bool launch_is_before_exec(const struct launch *launch, int tid);

/*
 * Call after the child ended without an exec event: returns the errno of the exec; 0: the exec was
 * not the cause, or was not tried yet. Closes error_fd; further calls return 0.
 */
int launch_exec_error(struct launch *launch);

#endif
