/* SPDX-License-Identifier: MIT */
/* Child processes: starting, and waiting; for tracees see supervisor/os/waiter.h. */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Moves *@fd to a number from @least on, unless it is one already or negative. 0 or -errno. */
int child_lift(int *fd, int least);

/*
 * Starts the program @argv[0] (a path). Its descriptor @first + i is a copy of @fd[i], which is not
 * below @first + @n; if @fd[i] is -1, it inherits ours. The program ends by itself with the
 * profiling, so it blocks signals that terminal and user send to the command. 0 or -errno.
 */
int child_start(const char *const argv[], const int *fd, size_t n, int first, pid_t *ret_pid);

/* Waits for the end of child @pid. Returns its wait status, or 0 if SIGCHLD is ignored. */
int child_join(int pid);

/* Waits at most @most_ns for the end of child @pid. False: the child still runs. */
bool child_join_within(int pid, uint64_t most_ns);

#endif
