/* SPDX-License-Identifier: MIT */
/*
 * Starts the command so that it is traced before its first instruction: the child waits, is seized,
 * and then executes; the first thing we hear of it is PTRACE_EVENT_EXEC.
 */
#ifndef SUPERVISOR_LAUNCH_H
#define SUPERVISOR_LAUNCH_H

#include <signal.h>
#include <sys/resource.h>

#include "supervisor/tracer.h"

/* What the command is to inherit as if we were not there. */
struct launch_state {
	sigset_t mask;
	struct rlimit files;
	const int *streams; /* what it gets as descriptors 0, 1 and 2; NULL: ours */
};

struct launch {
	int pid;
	int error_fd; /* readable: errno of a failed exec (4 bytes), or end of file after a good one */
};

/*
 * Call from the tracing thread. -errno of fork; or of the seize, which is refused where ptrace is
 * (the child is then gone). @state is what to restore in the child.
 */
int launch_command(char *const argv[], const struct launch_state *state,
	const struct tracer_options *options, struct launch *ret_launch);

/* After the child ended without an exec event: errno of the exec, 0 if it was not that. */
int launch_exec_error(struct launch *launch);

#endif
