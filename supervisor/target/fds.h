/* SPDX-License-Identifier: MIT */
/*
 * Descriptors that are kept open for speed. When the limit of open files comes near, those of idle
 * threads and of other processes are closed.
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
	uint64_t again_ns; /* a search for some to close is not repeated before this time */
	size_t cursor;     /* in target->tracee, for fds_steal() */
};

/* Takes the limit of open files from the kernel. */
void fds_init(struct fds *fds, struct target *target);

/* For the end of a message: what to do about an -errno of an open, "" for others than -EMFILE. */
const char *fds_way_out(int error);

/*
 * What an open gave is to be kept for @process (NULL: for none of ours). Returns the descriptor,
 * perhaps by another number; or -errno, and it is closed. -EMFILE, -ENFILE: others were closed if
 * there were any.
 */
int fds_keep(struct fds *fds, const struct process *process, int fd);

/*
 * Of some threads that run, the one that ran longest ago gives up its descriptors. *@ret_any:
 * a thread has some, and can give them up once its stop is over.
 */
bool fds_steal(struct fds *fds, bool *ret_any);

#endif
