/* SPDX-License-Identifier: MIT */
#include "supervisor/os/suspend.h"

#include <signal.h>

void suspend(int signal)
{
	sigset_t set, before;

	/* It is blocked, as a descriptor or a wait tells of it. */
	(void)sigemptyset(&set);
	(void)sigaddset(&set, signal);
	(void)pthread_sigmask(SIG_UNBLOCK, &set, &before);
	(void)raise(signal);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	/* A stop signal discards a pending SIGCONT: one that is pending now has ended the stop. */
	if (signal != SIGSTOP && (sigpending(&set) < 0 || !sigismember(&set, SIGCONT)))
		(void)raise(SIGSTOP);
}
