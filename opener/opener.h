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
	int fd;            /* socket to the opener process */
	uint32_t sequence; /* of the last request */
	/* the process that used @sequence last: a forked child begins another sequence */
	int pid;
};

/*
 * Sends the request, with the next sequence number, and waits for the answer. Returns the error in
 * *@ret_opened: 0 or -errno; -EPIPE: the opener has ended. The caller owns ret_opened->fd. With a
 * NULL @opener, the file is opened in this process. After a fork both processes may send requests,
 * but not at the same time.
 */
int opener_ask(struct opener *opener, struct opening *what, struct opened *ret_opened);

/*
 * Does what opener_ask() does, for a request with only a path, a process, or both. -ENAMETOOLONG.
 */
int opener_ask_path(struct opener *opener, uint32_t kind, uint32_t pid, const char *path,
	struct opened *ret_opened);

/*
 * Reads all data of a copy made by the opener, and closes the descriptor. 0, and the caller frees
 * *@ret_data, behind which there is a 0; or -errno; -EFBIG: more than @most bytes.
 */
int opener_take(int fd, size_t most, uint8_t **ret_data, size_t *ret_bytes);

#endif
