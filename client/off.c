/* SPDX-License-Identifier: MIT */
/*
 * What is told without a pipe: off, and the question whether we can be reached. The tracer hears of
 * each signal of a thread that it traces, also of one that is ignored, which nobody else does:
 * neither the program nor, untraced, the kernel's queue.
 */
#include "client/client.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Ignored unless there is a handler. SIGCHLD is awaited by many who keep it blocked: see pick(). */
static const int signals[] = {SIGURG, SIGWINCH, SIGCHLD, 0};

/* Only reads: libsprofil installs no handlers. */
static bool is_ignored(int signal)
{
	/* The kernel's struct sigaction begins with the handler. */
	unsigned long action[8] = {~0ul};

	return syscall(SYS_rt_sigaction, signal, NULL, action, sizeof(uint64_t)) == 0 &&
		(action[0] == (unsigned long)(uintptr_t)SIG_DFL ||
			action[0] == (unsigned long)(uintptr_t)SIG_IGN);
}

/*
 * A signal that does nothing, in force if that can be. A blocked one that is pending is somebody's
 * who waits for it with sigwait or a signalfd: to unblock it would lose it, and SIGCHLD may come at
 * any time. 0: there is none.
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

/* The result of tgkill() with @second behind CALL_OFF_FIRST; -EPERM: it cannot be made. */
static long say(uint64_t second)
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
	long r = say(CALL_OFF_SECOND);

	return r == CALL_OFF_DONE || r == 0 ? 0 : -EPERM;
}

int client_ask_reach(void)
{
	return say(CALL_ASK_SECOND) == CALL_ASK_NO ? -EPERM : 0;
}
