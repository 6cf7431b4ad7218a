/* SPDX-License-Identifier: MIT */
/* Waiting for child processes; for tracees see supervisor/os/waiter.h. */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

/*
 * Waits until child @pid has ended. Returns its wait status; 0 if the kernel has not kept it, for
 * example because SIGCHLD is ignored.
 */
int child_join(int pid);

#endif
