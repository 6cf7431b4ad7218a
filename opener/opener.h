/* SPDX-License-Identifier: MIT */
/* The side that asks (proto/opening.h): another process, or for want of one this one. */
#ifndef OPENER_OPENER_H
#define OPENER_OPENER_H

#include <stddef.h>
#include <stdint.h>

#include "proto/opening.h"

struct opener {
	int fd; /* of the socket to the process that opens */
	uint32_t sequence;
	int pid; /* whose sequence it is */
};

/*
 * Fills in @what's sequence, and waits for the answer. The error of *ret_opened is the result:
 * 0 or -errno; -EPIPE: the opener is gone. ret_opened->fd is the caller's. With a NULL opener it is
 * opened here. After a fork both processes may ask, but not at the same time.
 */
int opener_ask(struct opener *opener, struct opening *what, struct opened *ret_opened);

/* For requests of a path or a process alone. */
int opener_ask_path(struct opener *opener, uint32_t kind, uint32_t pid, const char *path,
	struct opened *ret_opened);

/*
 * All that is in a copy that the opener made; the descriptor is closed. The caller frees. -EFBIG:
 * more than @most.
 */
int opener_take(int fd, size_t most, uint8_t **ret_data, size_t *ret_bytes);

#endif
