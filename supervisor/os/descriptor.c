/* SPDX-License-Identifier: MIT */
#include "supervisor/os/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "supervisor/os/window.h"

#define CLOSER_STACK_BYTES 65536
#define PIDFD_OF_THREAD    O_EXCL /* PIDFD_THREAD of linux/pidfd.h */

/* Devices of Documentation/admin-guide/devices.txt. */
enum {
	MAJOR_MEM = 1,
	MINOR_ZERO = 5,
	MINOR_FULL = 7,
	MINOR_RANDOM = 8,
	MINOR_URANDOM = 9,
	MAJOR_TTY = 4,
	MAJOR_TTY_AUX = 5,
	MAJOR_PTS_FIRST = 136,
	MAJOR_PTS_LAST = 143
};

static void *close_slowly(void *context)
{
	(void)close((int)(intptr_t)context);
	return NULL;
}

/* Does the last close of the socket or pipe return at once? */
static bool is_quick(int fd)
{
	struct linger linger;
	socklen_t bytes = sizeof(linger);

	if (getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &bytes) == 0)
		return !linger.l_onoff || !linger.l_linger;
	return fcntl(fd, F_GETPIPE_SZ) >= 0;
}

/* A close that may block is left to another thread (test: closing_linger_blocks_nobody). */
void descriptor_close(int fd)
{
	pthread_attr_t attributes;
	pthread_t thread;

	if (is_quick(fd)) {
		(void)close(fd);
		return;
	}
	if (pthread_attr_init(&attributes) != 0)
		return; /* Leaks a descriptor rather than block. */
	(void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	(void)pthread_attr_setstacksize(&attributes, CLOSER_STACK_BYTES);
	(void)pthread_create(&thread, &attributes, close_slowly, (void *)(intptr_t)fd);
	(void)pthread_attr_destroy(&attributes);
}

bool descriptor_is(int tid, int fd, const char *prefix, const char *other)
{
	char path[64], target[32] = "";

	(void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", tid, fd);
	return readlink(path, target, sizeof(target) - 1) > 0 &&
		(strncmp(target, prefix, strlen(prefix)) == 0 ||
			(other && strncmp(target, other, strlen(other)) == 0));
}

/*
 * Copies the target's descriptor if it is a socket (Linux 5.6), because a socket's options can only
 * be read through a copy. Other files are not copied, as closing the copy may be the file's last
 * close, and may block. Returns the copy, or -1.
 */
static int copy_of(int pid, int tid, int fd)
{
	int pidfd, copy;

	window_forbid("copying a descriptor");
	if (!descriptor_is(tid, fd, "socket:[", NULL))
		return -1;
	/*
	 * A pidfd of the thread is used, as the process's first thread may have ended. Linux before
	 * 6.9 has none, and returns EINVAL.
	 */
	pidfd = (int)syscall(SYS_pidfd_open, tid, PIDFD_OF_THREAD);
	if (pidfd < 0 && errno == EINVAL)
		pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0)
		return -1;
	copy = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	(void)close(pidfd);
	return copy;
}

/*
 * Is it a stream socket without a pending error? The next call that transfers nothing returns the
 * pending error, and so clears it. That must be a call of the target itself. So a transfer is not
 * continued if an error is pending.
 */
static bool is_stream(int pid, int tid, int fd)
{
	int copy = copy_of(pid, tid, fd), type = 0;
	struct pollfd state = {.fd = copy};
	socklen_t bytes = sizeof(type);

	if (copy < 0)
		return false;
	if (getsockopt(copy, SOL_SOCKET, SO_TYPE, &type, &bytes) < 0 ||
		(poll(&state, 1, 0) > 0 && state.revents & POLLERR))
		type = 0;
	descriptor_close(copy);
	return type == SOCK_STREAM;
}

uint64_t descriptor_wait_ns(int pid, int tid, int fd, bool send, bool *ret_internet)
{
	struct timeval wait = {0, 0};
	socklen_t bytes = sizeof(wait);
	int copy = copy_of(pid, tid, fd), domain = 0;

	*ret_internet = false;
	if (copy < 0)
		return 0;
	if (fcntl(copy, F_GETFL) & O_NONBLOCK ||
		getsockopt(copy, SOL_SOCKET, send ? SO_SNDTIMEO : SO_RCVTIMEO, &wait, &bytes) < 0)
		wait = (struct timeval){0, 0};
	bytes = sizeof(domain);
	if (getsockopt(copy, SOL_SOCKET, SO_DOMAIN, &domain, &bytes) == 0)
		*ret_internet = domain == AF_INET || domain == AF_INET6;
	descriptor_close(copy);
	return (uint64_t)wait.tv_sec * 1000000000 + (uint64_t)wait.tv_usec * 1000;
}

enum descriptor_kind descriptor_kind(int pid, int tid, int fd)
{
	char path[64];
	struct statx st;

	window_forbid("looking at a descriptor");
	(void)snprintf(path, sizeof(path), "/proc/%d/fd/%d", tid, fd);
	/*
	 * With AT_STATX_DONT_SYNC the file system is not asked: the target itself may implement it.
	 */
	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_TYPE, &st) < 0)
		return DESCRIPTOR_OTHER;
	if (S_ISFIFO(st.stx_mode))
		return DESCRIPTOR_PIPE;
	if (S_ISSOCK(st.stx_mode))
		return is_stream(pid, tid, fd) ? DESCRIPTOR_STREAM : DESCRIPTOR_OTHER;
	if (S_ISREG(st.stx_mode))
		return DESCRIPTOR_FILE;
	if (!S_ISCHR(st.stx_mode))
		return DESCRIPTOR_OTHER;
	switch (st.stx_rdev_major) {
	case MAJOR_MEM:
		return st.stx_rdev_minor == MINOR_ZERO || st.stx_rdev_minor == MINOR_FULL ||
				st.stx_rdev_minor == MINOR_RANDOM ||
				st.stx_rdev_minor == MINOR_URANDOM
			? DESCRIPTOR_ENDLESS
			: DESCRIPTOR_OTHER;
	case MAJOR_TTY:
	case MAJOR_TTY_AUX: return DESCRIPTOR_TERMINAL;
	default:
		return st.stx_rdev_major >= MAJOR_PTS_FIRST && st.stx_rdev_major <= MAJOR_PTS_LAST
			? DESCRIPTOR_TERMINAL
			: DESCRIPTOR_OTHER;
	}
}
