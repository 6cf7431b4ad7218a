/* SPDX-License-Identifier: MIT */
/* A child of our own; tracees are waited for in supervisor/os/waiter.h. */
#ifndef TOOLS_CHILD_H
#define TOOLS_CHILD_H

/*
 * Waits until child @pid has ended. Its wait status; 0 if the kernel has not kept it, as where
 * SIGCHLD is ignored.
 */
int child_join(int pid);

#endif
