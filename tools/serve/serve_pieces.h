/* SPDX-License-Identifier: MIT */
/* The server's end of proto/piece.h: takes pieces from analysts, which may be hostile or hang. */
#ifndef TOOLS_SERVE_SERVE_PIECES_H
#define TOOLS_SERVE_SERVE_PIECES_H

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/piece.h"

struct spans;

enum { SERVE_PIECES_MOST = 8 };

struct serve_pieces {
	int fd; /* socket of announcements; -1: no sender is left */
	struct spans *spans;
	struct coming {
		struct piece piece;
		int fd; /* pipe with the piece's profile; -1: a free slot */
		uint8_t *data;
		size_t bytes, room;
	} coming[SERVE_PIECES_MOST];
	uint64_t so_far_ns;  /* the latest end of the pieces taken so far */
	const char *problem; /* what is wrong with the last piece; NULL: nothing */
};

/* Takes ownership of @fd, a socket. */
void serve_pieces_init(struct serve_pieces *pieces, int fd, struct spans *spans);
void serve_pieces_release(struct serve_pieces *pieces);
/* Fills in 1 + SERVE_PIECES_MOST descriptors. */
void serve_pieces_poll(const struct serve_pieces *pieces, struct pollfd *fds);
/*
 * Handles the events of poll(2). When no sender is left and no announced piece is still coming,
 * ends all spans.
 */
void serve_pieces_turn(struct serve_pieces *pieces, const struct pollfd *fds);

#endif
