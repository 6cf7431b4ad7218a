/* SPDX-License-Identifier: MIT */
/* Stopping this process, so that its parent is told by which signal. */
#ifndef SUPERVISOR_SUSPEND_H
#define SUPERVISOR_SUSPEND_H

/*
 * @signal: SIGTSTP, SIGTTIN, SIGTTOU or SIGSTOP. Where the first three stop nobody, in an orphaned
 * process group or if they are ignored, SIGSTOP does. Returns after SIGCONT, which must be blocked.
 */
void suspend(int signal);

#endif
