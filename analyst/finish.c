/* SPDX-License-Identifier: MIT */
#include "analyst/finish.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyst/analyst.h"
#include "analyst/blame.h"
#include "base/waiting_line.h"

/* The user sees that names are being looked up if it takes longer than this. */
#define PATIENCE_MS 1000

/*
 * Nothing is written to these pipes: a process waits until the other one has closed its end, or is
 * dead. The child lets the parent know that it has the names, and then waits until the parent has
 * erased its line. -1: there is no line.
 */
struct line_pipes {
	int named[2], erased[2];
};

static void close_end(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

static void open_pipes(const char *waiting, struct line_pipes *ret_pipes)
{
	*ret_pipes = (struct line_pipes){{-1, -1}, {-1, -1}};
	if (!waiting || !isatty(STDERR_FILENO) || pipe2(ret_pipes->named, O_CLOEXEC) < 0)
		return;
	if (pipe2(ret_pipes->erased, O_CLOEXEC) == 0)
		return;
	close_end(&ret_pipes->named[0]);
	close_end(&ret_pipes->named[1]);
}

static void close_pipes(struct line_pipes *pipes)
{
	for (size_t i = 0; i < 2; i++) {
		close_end(&pipes->named[i]);
		close_end(&pipes->erased[i]);
	}
}

/* The child has the names: waits until nothing of the parent is on the terminal. */
static void wait_for_terminal(struct line_pipes *pipes)
{
	char none;

	close_end(&pipes->named[1]);
	if (pipes->erased[0] >= 0)
		(void)!read(pipes->erased[0], &none, 1);
}

/* Shows the line as long as the child has no names, but not at once. */
static void show_waiting(const char *waiting, struct line_pipes *pipes)
{
	struct pollfd child = {.fd = pipes->named[0], .events = POLLIN};
	struct waiting_line line;

	close_end(&pipes->named[1]);
	close_end(&pipes->erased[0]);
	if (child.fd < 0)
		return;
	waiting_line_begin(&line);
	if (poll(&child, 1, PATIENCE_MS) == 0)
		waiting_line_say(&line, waiting);
	while (poll(&child, 1, -1) < 0 && errno == EINTR)
		;
	waiting_line_end(&line);
	close_pipes(pipes);
}

static _Noreturn void try(const struct finish *finish, struct analyst *analyst, pid_t parent,
	struct line_pipes *pipes)
{
	struct rlimit none = {0, 0};
	int error, status;

	close_end(&pipes->named[0]);
	close_end(&pipes->erased[1]);
	/* The child ends with its parent: if the analyst is killed, its profile is not wanted. */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	(void)setrlimit(RLIMIT_CORE, &none);
	error = analyst_finish(analyst);
	wait_for_terminal(pipes);
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
		struct line_pipes pipes;
		int status;
		bool again;

		(void)fflush(NULL);
		blame->note[0] = '\0';
		analyst_note_cpu(analyst);
		open_pipes(finish->waiting, &pipes);
		pid = fork();
		if (pid == 0)
			try(finish, analyst, parent, &pipes);
		if (pid < 0) {
			int r = -errno;

			close_pipes(&pipes);
			return r;
		}
		show_waiting(finish->waiting, &pipes);
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
