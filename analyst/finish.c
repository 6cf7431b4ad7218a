/* SPDX-License-Identifier: MIT */
#include "analyst/finish.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyst/analyst.h"
#include "analyst/blame.h"

static _Noreturn void try(const struct finish *finish, struct analyst *analyst, pid_t parent)
{
	struct rlimit none = {0, 0};
	int error, status;

	/* If the analyst is killed, its profile is not wanted. */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	(void)setrlimit(RLIMIT_CORE, &none);
	error = analyst_finish(analyst);
	status = finish->deliver(finish->context, analyst, error);
	(void)fflush(NULL);
	_exit(status);
}

static void say_death(const struct finish *finish, const char *path, int signal_number, bool again)
{
	char line[512];

	(void)snprintf(line, sizeof(line), "%s%s made the analyst die (%s)%s",
		path[0] ? "reading " : "something", path, strsignal(signal_number),
		again ? "; going on without its debug information" : "; giving up on the profile");
	finish->say(finish->context, line);
}

int finish_run(const struct finish *finish, struct analyst *analyst, struct blame *blame)
{
	for (;;) {
		pid_t pid, parent = getpid();
		int status;
		bool again;

		(void)fflush(NULL);
		blame->note[0] = '\0';
		counts_note_cpu(&analyst->counts);
		pid = fork();
		if (pid < 0)
			return -errno;
		if (pid == 0)
			try(finish, analyst, parent);
		while (waitpid(pid, &status, 0) < 0) {
			if (errno != EINTR)
				return -errno;
		}
		if (WIFEXITED(status))
			return WEXITSTATUS(status);
		again = blame_add(blame, blame->note);
		say_death(finish, blame->note, WTERMSIG(status), again);
		if (!again)
			return -ECHILD;
	}
}
