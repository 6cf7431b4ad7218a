/* SPDX-License-Identifier: MIT */
#include "tools/opener_start.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { OPENER_FD = 3 };

static int find(char path[PATH_MAX])
{
	static const char name[] = "sprofil-opener";
	ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - sizeof(name));
	char *slash;

	if (n < 0)
		return -errno;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return -ENOENT;
	strcpy(slash + 1, name);
	return access(path, X_OK) < 0 ? -errno : 0;
}

static int spawn(const char *argv[], int fd, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	int r = posix_spawn_file_actions_init(&actions);

	if (r)
		return -r;
	/* To its own number it would stay closed with exec. */
	r = posix_spawn_file_actions_adddup2(&actions, fd, OPENER_FD);
	if (!r)
		r = posix_spawn(ret_pid, argv[0], &actions, NULL, (char *const *)argv, environ);
	(void)posix_spawn_file_actions_destroy(&actions);
	return -r;
}

int opener_start(const char *argv[], struct opener *ret_opener, pid_t *ret_pid)
{
	char path[PATH_MAX];
	int fd[2], r = find(path), far;

	if (r < 0)
		return r;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) < 0)
		return -errno;
	far = fcntl(fd[1], F_DUPFD_CLOEXEC, OPENER_FD + 1);
	(void)close(fd[1]);
	argv[0] = path;
	r = far < 0 ? -errno : spawn(argv, far, ret_pid);
	argv[0] = NULL;
	if (far >= 0)
		(void)close(far);
	if (r < 0) {
		(void)close(fd[0]);
		return r;
	}
	*ret_opener = (struct opener){.fd = fd[0]};
	return 0;
}

void opener_end(struct opener *opener, pid_t pid)
{
	int status;

	(void)close(opener->fd);
	opener->fd = -1;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
}
