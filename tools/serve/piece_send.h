/* SPDX-License-Identifier: MIT */
/* Sends a piece of an analyst's profile to the server. */
#ifndef TOOLS_SERVE_PIECE_SEND_H
#define TOOLS_SERVE_PIECE_SEND_H

#include "proto/piece.h"

struct profile;

/*
 * Announces the piece through the socket @fd (proto/piece.h), and writes its profile to a pipe. 0
 * or -errno; -ETIMEDOUT: the server did not read for 5 s; -EPIPE: the server is gone.
 */
int piece_send(int fd, const struct piece *piece, const struct profile *profile);

#endif
