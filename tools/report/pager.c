/* SPDX-License-Identifier: MIT */
#include "tools/report/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"

static bool is_installed(const char *name)
{
	const char *path = getenv("PATH");
	bool found = false;

	while (path && *path && !found) {
		size_t bytes = strcspn(path, ":");
		char *file;

		if (asprintf(&file, "%.*s/%s", (int)bytes, path, name) < 0)
			return false;
		found = bytes && access(file, X_OK) == 0;
		free(file);
		path += bytes + (path[bytes] == ':');
	}
	return found;
}

/* Returns the pager's command; NULL: no pager is wanted or available. */
static const char *command(void)
{
	const char *pager = getenv("PAGER");
	const char *term = getenv("TERM");

	if (!isatty(STDOUT_FILENO) || (term && !strcmp(term, "dumb")))
		return NULL;
	if (!pager)
		return is_installed("less") ? "less -FRX" : NULL;
	return pager[0] && strcmp(pager, "cat") != 0 ? pager : NULL;
}

static void run(const char *command_line, int from)
{
	(void)signal(SIGPIPE, SIG_DFL);
	(void)signal(SIGXFSZ, SIG_DFL);
	/* `less` from $PAGER without options would show our colours as text. */
	(void)setenv("LESS", "FRX", 0);
	if (dup2(from, STDIN_FILENO) >= 0)
		(void)execl("/bin/sh", "sh", "-c", command_line, (char *)NULL);
	_exit(127);
}

void pager_open(struct pager *pager)
{
	const char *command_line = command();
	int pipe_fd[2];

	*pager = (struct pager){.out = stdout};
	(void)signal(SIGPIPE, SIG_IGN);
	if (!command_line || pipe2(pipe_fd, O_CLOEXEC) < 0)
		return;
	pager->pid = fork();
	if (pager->pid == 0)
		run(command_line, pipe_fd[0]);
	(void)close(pipe_fd[0]);
	if (pager->pid > 0)
		pager->out = fdopen(pipe_fd[1], "w");
	if (pager->pid > 0 && pager->out) {
		(void)signal(SIGINT, SIG_IGN);
		return;
	}
	(void)close(pipe_fd[1]);
	if (pager->pid > 0)
		(void)child_join(pager->pid);
	*pager = (struct pager){.out = stdout};
}

void pager_write(struct pager *pager, const void *text, size_t bytes)
{
	if (fwrite(text, 1, bytes, pager->out) != bytes && !pager->error)
		pager->error = errno;
}

int pager_close(struct pager *pager)
{
	int error = pager->error, status = 0;

	/* A failed write empties the buffer, so closing may succeed: pager->error has the error. */
	if ((pager->pid ? fclose(pager->out) : fflush(pager->out)) && !error)
		error = errno;
	if (pager->pid) {
		status = child_join(pager->pid);
		/* The shell ends with 126 or 127 if the command cannot be run. */
		if (WIFEXITED(status) && WEXITSTATUS(status) >= 126)
			return -ENOEXEC;
	}
	return error == EPIPE ? 0 : -error;
}
