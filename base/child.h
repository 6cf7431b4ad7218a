/* SPDX-License-Identifier: MIT */
/* Waiting for child processes; for tracees see supervisor/os/waiter.h. */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Waits until child @pid has ended. Returns its wait status; 0 if the kernel has not kept it, for
 * example because SIGCHLD is ignored.
 */
int child_join(int pid);

/*
 * Waits for child @pid for @most_ns at most, and drops its status. False: the child still runs;
 * when this process ends, init waits for it.
 */
bool child_join_within(int pid, uint64_t most_ns);

#endif
