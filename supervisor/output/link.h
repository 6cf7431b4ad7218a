/* SPDX-License-Identifier: MIT */
/*
 * The connection to an analyst, a child process: ring, doorbell pipe (written by the supervisor)
 * and request pipe (read by the supervisor). The analyst may die at any time; then another is
 * started.
 */
#ifndef SUPERVISOR_LINK_H
#define SUPERVISOR_LINK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "proto/ring.h"

/* The descriptors in the analyst. Up to LINK_MORE_MOST further ones begin at LINK_MORE_FD. */
enum { LINK_RING_FD = 3, LINK_BELL_FD = 4, LINK_REQUEST_FD = 5, LINK_MORE_FD = 6 };
enum { LINK_MORE_MOST = 5 };

struct link {
	int pid;        /* 0: no analyst */
	int bell_fd;    /* -1: none */
	int request_fd; /* -1: none; non-blocking */
	void *memory;   /* the mapped ring; MAP_FAILED: none */
	size_t bytes;   /* size of @memory */
	struct ring ring;
};

#define LINK_NONE ((struct link){.bell_fd = -1, .request_fd = -1, .memory = MAP_FAILED})

/*
 * Starts @argv[0] (a path) with a fresh ring of @capacity bytes. The child has the @n descriptors
 * @more from LINK_MORE_FD on; the caller still owns them. The text @mounts (NULL: none) follows the
 * ring in the memory file, without NUL. The child blocks the signals that the terminal and the user
 * send to the command. It ends when the doorbell pipe closes. -errno: nothing was started.
 */
int link_start(struct link *link, const char *const argv[], uint64_t capacity, const char *mounts,
	const int *more, size_t n);

/*
 * Tells the analyst that no more records will come. Its pid stays valid for waiter_join(). Returns
 * our end of the request pipe, owned by the caller; -1: none. While that is open, the analyst may
 * wait for a reader of its profile.
 */
int link_finish(struct link *link);

/* Frees the supervisor's memory and descriptors of a link whose analyst is gone or finishes. */
void link_release(struct link *link);

#endif
