/* SPDX-License-Identifier: MIT */
/*
 * The analyst as the supervisor sees it: a child process with one end of the ring, of the doorbell
 * pipe (ours to write) and of the request pipe (ours to read). It may die at any time; then another
 * one is started.
 */
#ifndef SUPERVISOR_LINK_H
#define SUPERVISOR_LINK_H

#include <stddef.h>
#include <stdint.h>

#include "proto/ring.h"

/* Descriptors in the analyst. */
enum { LINK_RING_FD = 3, LINK_BELL_FD = 4, LINK_REQUEST_FD = 5, LINK_MORE_FD = 6 };
enum { LINK_MORE_MOST = 5 };

struct link {
	int pid;        /* 0: there is none */
	int bell_fd;    /* -1: none */
	int request_fd; /* -1: none; does not block */
	void *memory;
	struct ring ring;
};

/*
 * Starts @argv[0] (a path) with a fresh ring of @capacity bytes, and with the @n descriptors @more
 * from LINK_MORE_FD on, which stay ours. -errno: nothing was started.
 * The child blocks the terminal's and the user's signals; it ends when the doorbell closes.
 */
int link_start(struct link *link, const char *const argv[], uint64_t capacity,
	const int *more, size_t n);

/*
 * Says that nothing more will come: the analyst finishes. Its pid stays, for waiter_join(). Returns
 * our end of the request pipe, -1 none: once that is closed the analyst waits for nobody, like one
 * who would read its profile from a pipe.
 */
int link_finish(struct link *link);

/* Frees the memory and descriptors of an analyst that is gone. */
void link_release(struct link *link);

#endif
