/* SPDX-License-Identifier: MIT */
/*
 * Descriptors of /proc files that are kept open for speed. Near the limit of open files, those of
 * idle threads are closed, and those of processes in which no stop is requested.
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
 * Returns the end of a message on a failed open: the remedy for -EMFILE, "" for any other -errno.
 */
const char *fds_remedy(int error);

/*
 * Decides whether a descriptor may stay open. @fd: the result of an open, for @process (NULL: for
 * no process of the target). Returns the descriptor, possibly duplicated to another number, or
 * -errno after closing @fd. If @fd is -EMFILE or -ENFILE, closes idle descriptors to make room.
 */
int fds_keep(struct fds *fds, const struct process *process, int fd);

/*
 * Closes the descriptors of one thread. Of a few threads that are not in a stop, this is the one
 * that has not run for the longest time. False: none could be closed; then *@ret_any says whether
 * some thread has open descriptors, which can be closed after its stop.
 */
bool fds_steal(struct fds *fds, bool *ret_any);

#endif
