/* SPDX-License-Identifier: MIT */
/* Finds out whether one process holds a pidfd of another process. Only reads /proc. */
#ifndef SUPERVISOR_PIDFD_H
#define SUPERVISOR_PIDFD_H

#include <limits.h>
#include <stdbool.h>

/* A result in place of a descriptor: the process has so many pidfds that some were not examined. */
#define PIDFD_MANY INT_MAX

/*
 * Returns the number of a descriptor of process @holder that is a pidfd of process @pid. Examines
 * at most 4,096 descriptors. PIDFD_MANY: more than 64 of them are pidfds, and the first 64 are not
 * of @pid. -ENOENT: none is a pidfd. -ENXIO: some are pidfds, but none is of @pid. -ESRCH: the
 * thread with tid @holder has ended, so /proc does not show its descriptors; try the tid of another
 * thread of the process. Another -errno of opendir(3). Must not be called in the stop window.
 */
int pidfd_find(int holder, int pid);

/* Is descriptor @fd of process @holder a pidfd of process @pid? Outside the stop window only. */
bool pidfd_is_of(int holder, int fd, int pid);

/* Parses the fdinfo of a pidfd, "pos:\t0\n…\nPid:\t4711\n…" to 4711. -EPROTO: there is no pid. */
int pidfd_parse(const char *text);

#endif
