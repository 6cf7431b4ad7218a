/* SPDX-License-Identifier: MIT */
/*
 * Profiles that wait to be sent to the profile store (--push). If they have more than
 * PUSH_QUEUE_BYTES, or are more than PUSH_QUEUE_MOST, the oldest are dropped.
 */
#ifndef TOOLS_SERVE_PUSH_QUEUE_H
#define TOOLS_SERVE_PUSH_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/serve/serve_push.h"

#define PUSH_QUEUE_BYTES ((size_t)32 << 20)
enum { PUSH_QUEUE_MOST = 256 };

struct pushed {
	uint64_t from, until; /* UNIX time in seconds */
	uint8_t *data;
	size_t bytes;
};

/* All zero: an empty queue. */
struct push_queue {
	struct pushed waiting[PUSH_QUEUE_MOST]; /* oldest first */
	size_t n, bytes;
	size_t lost; /* profiles dropped */
	/*
	 * The profile that is being read. @head: its head; @head_bytes, @read: bytes of the head
	 * and of the data that have come.
	 */
	uint8_t head[PUSH_HEAD_BYTES];
	size_t head_bytes, read;
	struct pushed coming;
};

/* Reads available data. False: the pipe is closed, or delivers invalid data. */
bool push_queue_read(struct push_queue *queue, int fd);
/* Returns the oldest profile, valid until the next change of the queue; NULL: none. */
const struct pushed *push_queue_first(const struct push_queue *queue);
void push_queue_drop(struct push_queue *queue);
void push_queue_release(struct push_queue *queue);

#endif
