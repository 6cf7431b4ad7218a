/* SPDX-License-Identifier: MIT */
/* The requesting side (proto/opening.h): asks another process, or opens files itself. */
#ifndef OPENER_OPENER_H
#define OPENER_OPENER_H

#include <stddef.h>
#include <stdint.h>

#include "proto/opening.h"

struct opener {
	int fd;            /* socket to the opener process */
	uint32_t sequence; /* number of the last request */
	/* the process that used @sequence last: a forked child begins another sequence */
	int pid;
};

/*
 * Sends the request and waits for the answer. Returns ret_opened->error: 0 or -errno; -EPIPE: the
 * opener has ended. The caller owns ret_opened->fd. @opener NULL: this process opens the file.
 * After a fork parent and child may send requests, but not at the same time.
 */
int opener_ask(struct opener *opener, struct opening *what, struct opened *ret_opened);

/* opener_ask() for a request of a path, a pid, or both. -ENAMETOOLONG: @path is too long. */
int opener_ask_path(struct opener *opener, uint32_t kind, uint32_t pid, const char *path,
	struct opened *ret_opened);

/*
 * Reads a copy made by the opener, and closes @fd. Returns 0: the caller frees *@ret_data, and a 0
 * byte follows the data; -EFBIG: more than @most bytes; or another -errno.
 */
int opener_take(int fd, size_t most, uint8_t **ret_data, size_t *ret_bytes);

#endif
