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

/* Returns the end of a message on a failed open: the remedy for -EMFILE, otherwise "". */
const char *fds_remedy(int error);

/*
 * Decides whether @fd, the result of an open, may stay open. Returns @fd or a lower duplicate of
 * it; -errno: @fd is closed or was no descriptor. If descriptors are scarce, closes those of idle
 * threads, and those of processes in which no stop is requested, except @process (may be NULL).
 */
int fds_keep(struct fds *fds, const struct process *process, int fd);

/*
 * Closes the descriptors of one thread: among a few threads that are in no stop, of the one that
 * has been idle longest. False: nothing was closed; *@ret_any then says whether a thread has
 * descriptors that can be closed after its stop.
 */
bool fds_steal(struct fds *fds, bool *ret_any);

#endif
