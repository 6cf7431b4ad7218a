/* SPDX-License-Identifier: MIT */
/* Stops this process by a signal, so that its parent sees which one. */
#ifndef SUPERVISOR_SUSPEND_H
#define SUPERVISOR_SUSPEND_H

#include <stdbool.h>

/*
 * Stops this process by @signal (SIGTSTP, SIGTTIN, SIGTTOU, SIGSTOP), or by SIGSTOP if @signal is
 * ignored or the process group is orphaned. Returns after SIGCONT, which must be blocked.
 */
void suspend(int signal);

/*
 * Can a shell continue this process after a stop? A shell with job control notices a stop and has
 * put this process into a process group of its own. If the process is in the group of the session's
 * leader, it was not started by such a shell.
 */
bool suspend_is_noticed(void);

/* Stops this process as ^Z does, if suspend_is_noticed(); otherwise nobody would continue it. */
void suspend_by_key(void);

#endif
