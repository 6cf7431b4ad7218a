/* SPDX-License-Identifier: MIT */
/*
 * Starts the command so that it is traced from its first instruction on. The forked child waits,
 * the tracing thread seizes it, and then the child calls exec. The child's first ptrace event is
 * PTRACE_EVENT_EXEC.
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

/* What the command inherits: the same as without the supervisor, or what the user requested. */
struct launch_state {
	sigset_t mask;
	/* the command ignores SIGCHLD; the supervisor must not, as SIGCHLD tells it of stops */
	bool children_ignored;
	struct rlimit files; /* RLIMIT_NOFILE */
	/* NULL: the supervisor's own. The command is always found along the supervisor's PATH. */
	char *const *environment;
	/*
	 * user of the command; NULL: that of the supervisor. A command of another user gets a new
	 * session, except with @terminal.
	 */
	const struct launch_user *user;
	/*
	 * Descriptor of the terminal of our session, if the supervisor itself does not use the
	 * terminal: the command gets a process group in the terminal's foreground, but no new
	 * session. NULL: the supervisor uses the terminal, or the session has no terminal.
	 */
	const int *terminal;
	const int *streams; /* the command's descriptors 0, 1, 2; NULL: those of the supervisor */
};

struct launch {
	int pid;   /* pid of the child; 0: none */
	int go_fd; /* the child waits for a byte from this pipe */
	/* Readable after the exec: errno (4 bytes) if it failed, otherwise end of file. */
	int error_fd;
};

/*
 * Forks the child, which waits. 0 or -errno. The calling thread must live as long as the command.
 * If the command has set PR_SET_PDEATHSIG, the kernel sends the signal at the end of the *thread*
 * that forked, not of the process (test: pdeathsig).
 */
int launch_begin(char *const argv[], const struct launch_state *state, struct launch *ret_launch);

/* Call from the tracing thread: seizes the child and lets it exec. 0, or -errno of the seize. */
int launch_go(struct launch *launch, const struct tracer_options *options);

/* Call instead of launch_go(), from the thread that called launch_begin(): the child ends. */
void launch_abandon(struct launch *launch);

/* Is @tid the child before its exec, when it still runs code of the supervisor? */
bool launch_is_before_exec(const struct launch *launch, int tid);

/*
 * Call after the child ended without an exec event. Returns the errno with which the exec failed.
 * 0: the child ended for another reason, perhaps before the exec. Closes error_fd; further calls
 * return 0.
 */
int launch_exec_error(struct launch *launch);

#endif
