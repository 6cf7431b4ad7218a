/* SPDX-License-Identifier: MIT */
#include "tools/inspector/inspect_talk.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child.h"
#include "base/libexec.h"

extern char **environ;

#define ANSWER_BYTES_MOST ((size_t)1 << 30)

bool inspect_talk_find(char ret_path[PATH_MAX])
{
	return libexec_find("sprofil-inspector", ret_path);
}

static int start(const char *path, int *ret_fd, pid_t *ret_pid)
{
	char *const argv[] = {(char *)path, NULL};
	posix_spawn_file_actions_t actions;
	int fd[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) < 0)
		return -errno;
	r = posix_spawn_file_actions_init(&actions);
	if (!r) {
		r = posix_spawn_file_actions_adddup2(&actions, fd[1], STDIN_FILENO);
		r = r ? r : posix_spawn_file_actions_adddup2(&actions, fd[1], STDOUT_FILENO);
		r = r ? r : posix_spawn(ret_pid, path, &actions, NULL, argv, environ);
		(void)posix_spawn_file_actions_destroy(&actions);
	}
	(void)close(fd[1]);
	if (r) {
		(void)close(fd[0]);
		return -r;
	}
	*ret_fd = fd[0];
	return 0;
}

/* If the inspector dies before it has read all, its answer is incomplete. */
static void send_all(int fd, const char *data, size_t bytes)
{
	while (bytes) {
		ssize_t n = send(fd, data, bytes, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		data += n;
		bytes -= (size_t)n;
	}
	(void)shutdown(fd, SHUT_WR);
}

static int receive_all(int fd, FILE *to)
{
	char part[1 << 16];
	size_t all = 0;

	for (;;) {
		ssize_t n = read(fd, part, sizeof(part));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		all += (size_t)n;
		if (all > ANSWER_BYTES_MOST || fwrite(part, 1, (size_t)n, to) != (size_t)n)
			return -ENOMEM;
	}
}

/* Runs one inspector process. *@ret_killed: SIGKILL ended it, for which no file is to blame. */
static int talk(const char *path, const char *asked, size_t asked_bytes, char **ret_answer,
	size_t *ret_bytes, bool *ret_killed)
{
	char *answer = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&answer, &bytes);
	pid_t pid;
	int fd = -1, r, status;

	if (!out)
		return -ENOMEM;
	r = start(path, &fd, &pid);
	if (r == 0) {
		send_all(fd, asked, asked_bytes);
		r = receive_all(fd, out);
		(void)close(fd);
		status = child_join(pid);
		*ret_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	}
	if (fclose(out) != 0 && r == 0)
		r = -ENOMEM;
	if (r < 0) {
		free(answer);
		return r;
	}
	*ret_answer = answer;
	*ret_bytes = bytes;
	return 0;
}

int inspect_talk(const char *path, const char *asked, size_t asked_bytes, char **ret_answer,
	size_t *ret_bytes)
{
	bool killed = false;
	int r = talk(path, asked, asked_bytes, ret_answer, ret_bytes, &killed);

	if (r == 0 && killed) {
		free(*ret_answer);
		r = talk(path, asked, asked_bytes, ret_answer, ret_bytes, &killed);
	}
	return r;
}
