/* SPDX-License-Identifier: MIT */
#include "supervisor/os/suspend.h"

#include <signal.h>
#include <unistd.h>

void suspend(int signal)
{
	sigset_t set, before;

	/* The signal is blocked, as a signalfd reads it. A blocked signal stops nothing. */
	(void)sigemptyset(&set);
	(void)sigaddset(&set, signal);
	(void)pthread_sigmask(SIG_UNBLOCK, &set, &before);
	(void)raise(signal);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	/* A stop signal discards a pending SIGCONT; one that is pending now has ended our stop. */
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
