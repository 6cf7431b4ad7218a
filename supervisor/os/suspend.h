/* SPDX-License-Identifier: MIT */
/* Stops this process by a signal, so that its parent sees which one. */
#ifndef SUPERVISOR_SUSPEND_H
#define SUPERVISOR_SUSPEND_H

/*
 * @signal: SIGTSTP, SIGTTIN, SIGTTOU or SIGSTOP. Where the first three have no effect, in an
 * orphaned process group or if they are ignored, SIGSTOP is sent. Returns after SIGCONT, which must
 * be blocked.
 */
void suspend(int signal);

#endif
