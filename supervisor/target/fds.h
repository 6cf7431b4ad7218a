/* SPDX-License-Identifier: MIT */
/*
 * Descriptors of /proc files that are kept open for speed. Near the limit of open files, some are
 * closed: those of idle threads, and those of processes in which no stop is requested.
 */
#ifndef SUPERVISOR_FDS_H
#define SUPERVISOR_FDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct process;
struct target;

struct fds {
	struct target *target;
	int most;          /* descriptors from this number on are not kept */
	uint64_t again_ns; /* no search for descriptors to close before this time */
	size_t cursor;     /* position of fds_steal() in target->tracee */
};

/* Reads the limit of open files from the kernel. */
void fds_init(struct fds *fds, struct target *target);

/*
 * Returns text to append to the message about an open that failed with @error. -EMFILE: how to
 * raise the limit of open files; otherwise "".
 */
const char *fds_remedy(int error);

/*
 * Decides whether the descriptor @fd, the result of an open, may stay open. If descriptors are
 * scarce, first closes those of all idle threads, and those of all processes except @process (may
 * be NULL) in which no stop is requested. Returns @fd or a lower duplicate of it. -EMFILE: @fd was
 * closed, as descriptors are scarce. If @fd is negative, it is the error of the open and is
 * returned.
 */
int fds_keep(struct fds *fds, const struct process *process, int fd);

/*
 * Examines a few threads that are not in a stop, and closes the descriptors of the one that has
 * been idle longest. False: nothing was closed; *@ret_any then says whether some thread has
 * descriptors, which can be closed after its stop.
 */
bool fds_steal(struct fds *fds, bool *ret_any);

#endif
