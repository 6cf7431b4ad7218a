/* SPDX-License-Identifier: MIT */
#include "supervisor/os/suspend.h"

#include <signal.h>
#include <unistd.h>

void suspend(int signal)
{
	sigset_t set, before;

	/*
	 * @signal is blocked, because a signalfd reads it, and a blocked signal stops nothing. So
	 * it is unblocked for the stop.
	 */
	(void)sigemptyset(&set);
	(void)sigaddset(&set, signal);
	(void)pthread_sigmask(SIG_UNBLOCK, &set, &before);
	(void)raise(signal);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	/*
	 * Did @signal stop this process? A stop signal discards a pending SIGCONT, so a SIGCONT
	 * that is pending now came later and ended the stop. Without one there was no stop, and
	 * SIGSTOP is raised.
	 */
	if (signal != SIGSTOP && (sigpending(&set) < 0 || !sigismember(&set, SIGCONT)))
		(void)raise(SIGSTOP);
}

bool suspend_is_noticed(void)
{
	return getpgrp() != getsid(0);
}

void suspend_by_key(void)
{
	if (suspend_is_noticed())
		suspend(SIGTSTP);
}
