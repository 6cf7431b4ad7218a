/* SPDX-License-Identifier: MIT */
#include "tools/session.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/engine/engine.h"
#include "supervisor/os/priority.h"
#include "tools/front.h"

static bool sessions_have_shares(void)
{
	int fd = open("/proc/sys/kernel/sched_autogroup_enabled", O_RDONLY | O_CLOEXEC);
	char on = '0';

	if (fd < 0)
		return false;
	if (read(fd, &on, 1) != 1)
		on = '0';
	(void)close(fd);
	return on == '1';
}

/*
 * The shell sees one job: this process stops when @pid stops, and ends as it ends. In the first
 * process of a container, orphans must be waited for, too.
 */
static _Noreturn void stand_for(pid_t pid)
{
	sigset_t signals;
	siginfo_t info;
	int status;

	engine_signals(&signals);
	for (;;) {
		pid_t seen = waitpid(-1, &status, WNOHANG | WUNTRACED);

		if (seen == pid && !WIFSTOPPED(status))
			exit(front_end_like(status));
		if (seen == pid) {
			(void)raise(SIGSTOP);
			(void)kill(pid, SIGCONT);
		} else if (seen <= 0 && sigwaitinfo(&signals, &info) >= 0 &&
			info.si_signo != SIGCHLD) {
			engine_forward(pid, &info);
		}
	}
}

bool session_divide(bool no_realtime)
{
	pid_t parent = getpid(), pid;

	if (!sessions_have_shares() || (!no_realtime && priority_may_be_realtime()))
		return false;
	(void)fflush(NULL);
	pid = fork();
	if (pid > 0)
		stand_for(pid);
	if (pid < 0)
		return false;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(FRONT_OURS);
	/* A search by name then finds the other process. */
	(void)prctl(PR_SET_NAME, "sprofil-tracer");
	return true;
}
