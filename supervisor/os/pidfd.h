/* SPDX-License-Identifier: MIT */
/* Finds a process's pidfd of another process. Reads /proc only. */
#ifndef SUPERVISOR_PIDFD_H
#define SUPERVISOR_PIDFD_H

#include <limits.h>
#include <stdbool.h>

/* Not a descriptor: the process has so many pidfds that they were not all looked at. */
#define PIDFD_MANY INT_MAX

/*
 * Returns the descriptor of process @holder that is a pidfd of process @pid, or PIDFD_MANY. Looks
 * at 4,096 descriptors and at 64 pidfds. -ENOENT: @holder has no pidfd; -ENXIO: only pidfds of
 * others; -ESRCH: its first thread has ended, so its descriptors cannot be read through that
 * thread's tid; another -errno of opendir(3). Outside the stop window only.
 */
int pidfd_find(int holder, int pid);

/* Is descriptor @fd of process @holder a pidfd of process @pid? Outside the stop window only. */
bool pidfd_is_of(int holder, int fd, int pid);

/* Parses the fdinfo of a pidfd, "pos:\t0\n…\nPid:\t4711\n…" to 4711. -EPROTO: there is no pid. */
int pidfd_parse(const char *text);

#endif
