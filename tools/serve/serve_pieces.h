/* SPDX-License-Identifier: MIT */
/*
 * The server's end of proto/piece.h: takes pieces from analysts, any of which may be hostile or
 * hang.
 */
#ifndef TOOLS_SERVE_SERVE_PIECES_H
#define TOOLS_SERVE_SERVE_PIECES_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/piece.h"

struct spans;

enum { PIECES_MOST = 8 };

struct pieces {
	int fd; /* socket of announcements; -1: no sender is left */
	struct spans *spans;
	struct coming {
		struct piece piece;
		int fd; /* -1: free */
		uint8_t *data;
		size_t bytes, room;
	} coming[PIECES_MOST];
	uint64_t so_far_ns;  /* the latest end among pieces already handled */
	const char *problem; /* what is wrong with the last piece; NULL none */
};

/* Takes ownership of @fd, a socket. */
void pieces_init(struct pieces *pieces, int fd, struct spans *spans);
void pieces_release(struct pieces *pieces);
/* Fills in the descriptors to poll: 1 + PIECES_MOST of them. */
void pieces_poll(const struct pieces *pieces, struct pollfd *fds);
/* Handles events. Closes the spans when nothing more can come. */
void pieces_turn(struct pieces *pieces, const struct pollfd *fds);

#endif
