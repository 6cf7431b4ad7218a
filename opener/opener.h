/* SPDX-License-Identifier: MIT */
/*
 * The requesting side (proto/opening.h): sends requests to another process, or opens files itself.
 */
#ifndef OPENER_OPENER_H
#define OPENER_OPENER_H

#include <stddef.h>
#include <stdint.h>

#include "proto/opening.h"

struct opener {
	int fd; /* socket to the opener process */
	uint32_t sequence;
	int pid; /* the process to which the sequence belongs */
};

/*
 * Sets @what's sequence, and waits for the answer. The result is the error of *ret_opened: 0 or
 * -errno; -EPIPE: the opener is gone. ret_opened->fd is the caller's. With a NULL @opener, the file
 * is opened here. After a fork both processes may send requests, but not at the same time.
 */
int opener_ask(struct opener *opener, struct opening *what, struct opened *ret_opened);

/* Sends a request that consists of a path or a process; otherwise as opener_ask(). */
int opener_ask_path(struct opener *opener, uint32_t kind, uint32_t pid, const char *path,
	struct opened *ret_opened);

/*
 * Reads all data of a copy made by the opener, and closes the descriptor. The caller frees the
 * data. -EFBIG: more than @most.
 */
int opener_take(int fd, size_t most, uint8_t **ret_data, size_t *ret_bytes);

#endif
