/* SPDX-License-Identifier: MIT */
/* Sends an analyst's profile, or a part of it so far, to the server (a piece, proto/piece.h). */
#ifndef TOOLS_SERVE_PIECE_SEND_H
#define TOOLS_SERVE_PIECE_SEND_H

#include "proto/piece.h"

struct profile;

/*
 * Announces the piece through the socket @fd, with the reading end of a new pipe, and writes
 * @profile to that pipe. 0 or -errno; -ETIMEDOUT: the server did not read for 5 s; -EPIPE: the
 * server is gone.
 */
int piece_send(int fd, const struct piece *piece, const struct profile *profile);

#endif
