/* SPDX-License-Identifier: MIT */
#include "tools/sandbox/opener_start.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/child.h"

/*
 * Longest wait for the opener's end. An opener whose thread is blocked in a file system may never
 * end.
 */
#define END_NS UINT64_C(2000000000)

extern char **environ;

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

int opener_start(const char *argv[], struct opener *ret_opener, pid_t *ret_pid)
{
	char path[PATH_MAX], number[12];
	int fd[2], r = find(path), far;

	if (r < 0)
		return r;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fd) < 0)
		return -errno;
	/* The opener inherits the user's descriptors, so that "-o /dev/fd/63" works. */
	far = fcntl(fd[1], F_DUPFD, 3);
	(void)snprintf(number, sizeof(number), "%d", far);
	argv[0] = path;
	argv[1] = number;
	r = far < 0 ? -errno
		    : -posix_spawn(ret_pid, path, NULL, NULL, (char *const *)argv, environ);
	argv[0] = argv[1] = NULL;
	(void)close(fd[1]);
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
	(void)close(opener->fd);
	opener->fd = -1;
	(void)child_join_within(pid, END_NS);
}
