/* SPDX-License-Identifier: MIT */
/*
 * Messages to the supervisor without a pipe: "off", and the question whether our memory is
 * accessible. They are arguments of a tgkill(2) that sends this thread an ignored signal. A tracer
 * sees ignored signals, too; without a tracer, the kernel drops them at once.
 */
#include "client/client.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Signals that are ignored by default, in the order in which they are tried; 0 ends them. */
static const int signals[] = {SIGURG, SIGWINCH, SIGCHLD, 0};

/* Has the program no handler for @signal? Only reads the disposition. */
static bool is_ignored(int signal)
{
	/* The kernel's struct sigaction begins with the handler. */
	unsigned long action[8] = {~0ul};

	return syscall(SYS_rt_sigaction, signal, NULL, action, sizeof(uint64_t)) == 0 &&
		(action[0] == (unsigned long)(uintptr_t)SIG_DFL ||
			action[0] == (unsigned long)(uintptr_t)SIG_IGN);
}

/*
 * Picks a signal without effect, preferably an unblocked one; 0: none. A blocked signal is
 * unblocked for a moment. It must not be pending: a sigwait() or signalfd of the program would lose
 * it. A blocked SIGCHLD is never picked, because one may come at any time.
 */
static int pick(const sigset_t *blocked)
{
	sigset_t pending;

	for (const int *signal = signals; *signal; signal++)
		if (sigismember(blocked, *signal) == 0 && is_ignored(*signal))
			return *signal;
	if (sigpending(&pending) < 0)
		return 0;
	for (const int *signal = signals; *signal; signal++)
		if (*signal != SIGCHLD && sigismember(&pending, *signal) == 0 &&
			is_ignored(*signal))
			return *signal;
	return 0;
}

/* Sends CALL_OFF_FIRST, @second by tgkill(). Returns its result; -EPERM: no suitable signal. */
static long send_off(uint64_t second)
{
	sigset_t mask, open;
	int signal;
	long r;

	if (!CALL_HAS_OFF)
		return -EPERM;
	if (pthread_sigmask(SIG_BLOCK, NULL, &mask) != 0)
		return -EPERM;
	signal = pick(&mask);
	if (!signal)
		return -EPERM;
	open = mask;
	(void)sigdelset(&open, signal);
	(void)pthread_sigmask(SIG_SETMASK, &open, NULL);
	r = syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal, CALL_OFF_FIRST, second);
	(void)pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return r;
}

int client_turn_off(void)
{
	long r = send_off(CALL_OFF_SECOND);

	return r == CALL_OFF_DONE || r == 0 ? 0 : -EPERM;
}

int client_ask_reach(void)
{
	return send_off(CALL_ASK_SECOND) == CALL_ASK_NO ? -EPERM : 0;
}
