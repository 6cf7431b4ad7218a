/* SPDX-License-Identifier: MIT */
/*
 * The seam: the linker (--wrap) directs the system calls of whatever is linked here. While a kernel
 * is in use they are its own; otherwise, and for files that are not its own, the real ones.
 */
#ifndef TESTS_KERNEL_CALLS_H
#define TESTS_KERNEL_CALLS_H

#include <errno.h>
#include <sys/socket.h>

#include "tests/kernel/kernel.h"

/* Descriptors that stand for a signalfd and for timers. */
enum { SIGNAL_FD = 900, TIMER_FD = 901, PIDFD = 902 };

#define WRAP(result, name, ...)            \
	result __real_##name(__VA_ARGS__); \
	result __wrap_##name(__VA_ARGS__); \
	result __wrap_##name(__VA_ARGS__)

/* Returns 0 and positive results as they are; -errno as errno and -1. */
static inline long result_of(long r)
{
	if (r >= 0)
		return r;
	errno = (int)-r;
	return -1;
}

static inline struct kernel *in_use(void)
{
	return kernel_in_use;
}

/* The last close of such a socket waits for its peer. */
static inline bool lingers(int fd)
{
	struct linger linger;
	socklen_t bytes = sizeof(linger);

	return getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &bytes) == 0 && linger.l_onoff &&
		linger.l_linger;
}

#endif
