/* SPDX-License-Identifier: MIT */
/* The wrapped calls: clocks, signals and waits. */
#include "tests/kernel/calls.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

WRAP(int, clock_gettime, clockid_t clock, struct timespec *ret)
{
	struct kernel *k = in_use();
	uint64_t ns;

	if (!k)
		return __real_clock_gettime(clock, ret);
	kernel_tick(k);
	ns = clock == CLOCK_THREAD_CPUTIME_ID || clock == CLOCK_PROCESS_CPUTIME_ID ? k->own_ns
										   : k->now_ns;
	*ret = (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	return 0;
}

WRAP(int, clock_getres, clockid_t clock, struct timespec *ret)
{
	if (!in_use())
		return __real_clock_getres(clock, ret);
	*ret = (struct timespec){0, 4000000};
	return 0;
}

WRAP(int, clock_getcpuclockid, pid_t pid, clockid_t *ret)
{
	if (!in_use())
		return __real_clock_getcpuclockid(pid, ret);
	*ret = CLOCK_PROCESS_CPUTIME_ID;
	return 0;
}

static bool has_signal(struct kernel *k)
{
	for (size_t i = 0; i < k->signals; i++)
		if (k->signal[i].signal && k->signal[i].at_ns <= k->now_ns)
			return true;
	return k->child_pending;
}

static bool has_event(struct kernel *k)
{
	return k->written || has_signal(k);
}

static bool is_child_pending(struct kernel *k)
{
	return k->child_pending;
}

static bool is_nothing(struct kernel *k)
{
	(void)k;
	return false;
}

static uint64_t after(const struct kernel *k, const struct timespec *timeout)
{
	return timeout
		? k->now_ns + (uint64_t)timeout->tv_sec * 1000000000 + (uint64_t)timeout->tv_nsec
		: UINT64_MAX;
}

/* Polls the real descriptors: the pipes to which a test writes requests. */
static int poll_real(struct pollfd *fds, nfds_t n)
{
	int ready = 0, signal = -1;

	for (nfds_t i = 0; i < n; i++)
		if (fds[i].fd == SIGNAL_FD) {
			signal = (int)i;
			fds[i].fd = -1;
		}
	ready = (int)syscall(SYS_poll, fds, n, 0);
	if (signal >= 0)
		fds[signal].fd = SIGNAL_FD;
	return ready < 0 ? 0 : ready;
}

WRAP(int, ppoll, struct pollfd *fds, nfds_t n, const struct timespec *timeout, const sigset_t *mask)
{
	struct kernel *k = in_use();
	int ready;

	if (!k)
		return __real_ppoll(fds, n, timeout, mask);
	kernel_run_analysts(k);
	if (k->asleep)
		k->asleep(k);
	ready = poll_real(fds, n);
	k->written = false;
	(void)kernel_sleep(k, ready ? k->now_ns : after(k, timeout), has_event);
	if (k->written)
		ready = poll_real(fds, n);
	for (nfds_t i = 0; i < n; i++)
		if (fds[i].fd == SIGNAL_FD) {
			fds[i].revents = has_signal(k) ? POLLIN : 0;
			ready += has_signal(k);
		}
	return ready;
}

WRAP(int, poll, struct pollfd *fds, nfds_t n, int timeout_ms)
{
	struct kernel *k = in_use();
	int ready;

	if (!k)
		return __real_poll(fds, n, timeout_ms);
	kernel_run_analysts(k);
	ready = poll_real(fds, n);
	if (!ready)
		(void)kernel_sleep(k, k->now_ns + (uint64_t)timeout_ms * 1000000, is_nothing);
	return ready;
}

WRAP(int, nanosleep, const struct timespec *time, struct timespec *left)
{
	struct kernel *k = in_use();

	if (!k)
		return __real_nanosleep(time, left);
	kernel_run_analysts(k);
	(void)kernel_sleep(k, after(k, time), is_nothing);
	return 0;
}

WRAP(int, sigtimedwait, const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	struct kernel *k = in_use();

	if (!k)
		return __real_sigtimedwait(set, info, timeout);
	kernel_run_analysts(k);
	if (!kernel_sleep(k, after(k, timeout), is_child_pending))
		return (int)result_of(-EAGAIN);
	k->child_pending = false;
	return SIGCHLD;
}

/*
 * A query of a disposition is answered with the one that the test wants the supervisor to have
 * inherited. A change is made by the real call.
 */
WRAP(int, sigaction, int signal, const struct sigaction *action, struct sigaction *old)
{
	struct kernel *k = in_use();

	if (!k || action)
		return __real_sigaction(signal, action, old);
	*old = (struct sigaction){
		.sa_handler = signal == SIGHUP && k->hangup_ignored ? SIG_IGN : SIG_DFL};
	return 0;
}

WRAP(int, signalfd, int fd, const sigset_t *set, int flags)
{
	return in_use() ? SIGNAL_FD : __real_signalfd(fd, set, flags);
}

WRAP(int, timerfd_create, int clock, int flags)
{
	return in_use() ? TIMER_FD : __real_timerfd_create(clock, flags);
}

WRAP(int, timerfd_settime, int fd, int flags, const struct itimerspec *new, struct itimerspec *old)
{
	return in_use() ? 0 : __real_timerfd_settime(fd, flags, new, old);
}
