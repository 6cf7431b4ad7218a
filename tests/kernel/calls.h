/* SPDX-License-Identifier: MIT */
/*
 * Replaces system calls: if code is linked with this folder, the linker (--wrap) directs its calls
 * to the functions here. While a scripted kernel is in use, it answers them; otherwise, and for
 * files that are not the scripted kernel's, the real calls are made.
 */
#ifndef TESTS_KERNEL_CALLS_H
#define TESTS_KERNEL_CALLS_H

#include <errno.h>
#include <sys/socket.h>

#include "tests/kernel/kernel.h"

/* Descriptors that stand for a signalfd, for timers and for a pidfd. */
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

/* Does the last close of this socket wait for its peer (SO_LINGER)? */
static inline bool lingers(int fd)
{
	struct linger linger;
	socklen_t bytes = sizeof(linger);

	return getsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, &bytes) == 0 && linger.l_onoff &&
		linger.l_linger;
}

#endif
