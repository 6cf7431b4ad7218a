/* SPDX-License-Identifier: MIT */
/*
 * The server's part of --push: sends the profiles of consecutive spans to sprofil-push, over a
 * pipe. Each profile follows a head of PUSH_HEAD_BYTES:
 *
 *   offset  size  field
 *        0     8  from         UNIX time in seconds
 *        8     8  until
 *       16     8  bytes        length of the profile
 */
#ifndef TOOLS_SERVE_SERVE_PUSH_H
#define TOOLS_SERVE_SERVE_PUSH_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PUSH_HEAD_BYTES = 24 };

struct span;
struct spans;

struct push {
	int fd; /* pipe to sprofil-push; -1: nothing is pushed */
	uint64_t every_ns;
	/* a span was begun; false: push_turn() is due at once, so that a short run has a profile */
	bool begun;
	struct spans *spans;
	struct span *span[2]; /* [0]: the current one; [1]: the one before, until complete */
	uint64_t to_ns[2], from_realtime_ns[2];
	uint8_t *data; /* head and profile, being written to @fd; NULL: none */
	size_t bytes, written;
};

/* Takes ownership of @fd; -1: nothing is pushed. */
void push_init(struct push *push, int fd, uint64_t every_ns, struct spans *spans);
void push_release(struct push *push);
/*
 * Returns when push_turn() must be called even without an event. UINT64_MAX: only after a piece or
 * POLLOUT.
 */
uint64_t push_next(const struct push *push, uint64_t now_ns);
void push_poll(const struct push *push, struct pollfd *fd);
void push_turn(struct push *push, const struct pollfd *fd, uint64_t now_ns);
bool push_is_idle(const struct push *push);

#endif
