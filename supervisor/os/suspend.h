/* SPDX-License-Identifier: MIT */
/* Stopping this process as a signal does by default, so that its parent is told that signal. */
#ifndef SUPERVISOR_SUSPEND_H
#define SUPERVISOR_SUSPEND_H

/*
 * @signal: SIGTSTP, SIGTTIN, SIGTTOU or SIGSTOP. Returns after SIGCONT. As for any program, nothing
 * happens if the signal is ignored, or, but for SIGSTOP, in an orphaned process group.
 */
void suspend(int signal);

#endif
