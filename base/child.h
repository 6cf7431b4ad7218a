/* SPDX-License-Identifier: MIT */
/* Waiting for child processes; for tracees see supervisor/os/waiter.h. */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <stdbool.h>
#include <stdint.h>

/* Waits for the end of child @pid. Returns its wait status, or 0 if SIGCHLD is ignored. */
int child_join(int pid);

/* Waits at most @most_ns for the end of child @pid. False: it still runs; init will reap it. */
bool child_join_within(int pid, uint64_t most_ns);

#endif
