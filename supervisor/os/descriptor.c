/* SPDX-License-Identifier: MIT */
#include "supervisor/os/descriptor.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <unistd.h>

#include "supervisor/os/window.h"

/* Devices of Documentation/admin-guide/devices.txt. */
enum {
	MAJOR_MEM = 1,
	MINOR_ZERO = 5,
	MINOR_URANDOM = 9,
	MAJOR_TTY = 4,
	MAJOR_TTY_AUX = 5,
	MAJOR_PTS_FIRST = 136,
	MAJOR_PTS_LAST = 143
};

/* A socket's options can be asked only of the socket: of a copy of the descriptor (Linux 5.6). */
static int copy_of(int pid, int fd)
{
	int pidfd, copy;

	window_forbid("copying a descriptor");
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0)
		return -1;
	copy = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	(void)close(pidfd);
	return copy;
}

static bool is_stream(int pid, int fd)
{
	int copy = copy_of(pid, fd), type = 0;
	socklen_t bytes = sizeof(type);

	if (copy < 0)
		return false;
	if (getsockopt(copy, SOL_SOCKET, SO_TYPE, &type, &bytes) < 0)
		type = 0;
	(void)close(copy);
	return type == SOCK_STREAM;
}

uint64_t descriptor_wait_ns(int pid, int fd, bool send, bool *ret_internet)
{
	struct timeval wait = {0, 0};
	socklen_t bytes = sizeof(wait);
	int copy = copy_of(pid, fd), domain = 0;

	*ret_internet = false;
	if (copy < 0)
		return 0;
	if (fcntl(copy, F_GETFL) & O_NONBLOCK ||
		getsockopt(copy, SOL_SOCKET, send ? SO_SNDTIMEO : SO_RCVTIMEO, &wait, &bytes) < 0)
		wait = (struct timeval){0, 0};
	bytes = sizeof(domain);
	if (getsockopt(copy, SOL_SOCKET, SO_DOMAIN, &domain, &bytes) == 0)
		*ret_internet = domain == AF_INET || domain == AF_INET6;
	(void)close(copy);
	return (uint64_t)wait.tv_sec * 1000000000 + (uint64_t)wait.tv_usec * 1000;
}

enum descriptor_kind descriptor_kind(int pid, int tid, int fd)
{
	char path[64];
	struct stat st;

	window_forbid("looking at a descriptor");
	(void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", tid, fd);
	if (stat(path, &st) < 0)
		return DESCRIPTOR_OTHER;
	if (S_ISFIFO(st.st_mode))
		return DESCRIPTOR_PIPE;
	if (S_ISSOCK(st.st_mode))
		return is_stream(pid, fd) ? DESCRIPTOR_STREAM : DESCRIPTOR_OTHER;
	if (!S_ISCHR(st.st_mode))
		return DESCRIPTOR_OTHER;
	switch (major(st.st_rdev)) {
	case MAJOR_MEM:
		return minor(st.st_rdev) == MINOR_ZERO || minor(st.st_rdev) == MINOR_URANDOM
			? DESCRIPTOR_ENDLESS
			: DESCRIPTOR_OTHER;
	case MAJOR_TTY:
	case MAJOR_TTY_AUX: return DESCRIPTOR_TERMINAL;
	default:
		return major(st.st_rdev) >= MAJOR_PTS_FIRST && major(st.st_rdev) <= MAJOR_PTS_LAST
			? DESCRIPTOR_TERMINAL
			: DESCRIPTOR_OTHER;
	}
}
