/* SPDX-License-Identifier: MIT */
#include "supervisor/os/suspend.h"

#include <signal.h>
#include <unistd.h>

void suspend(int signal)
{
	sigset_t set, before;

	/*
	 * This process blocks the signal, as it reads it from a signalfd. A blocked signal would
	 * not stop the process.
	 */
	(void)sigemptyset(&set);
	(void)sigaddset(&set, signal);
	(void)pthread_sigmask(SIG_UNBLOCK, &set, &before);
	(void)raise(signal);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	/*
	 * Each stop signal discards a pending SIGCONT. If one is pending now, this process was
	 * stopped, and SIGCONT ended that.
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
