/* SPDX-License-Identifier: MIT */
/* How an analyst sends the server a piece of its profile. */
#ifndef TOOLS_PIECE_SEND_H
#define TOOLS_PIECE_SEND_H

#include "proto/piece.h"

struct profile;

/*
 * Announces the piece by the socket @fd (proto/piece.h), and writes it as long as the server reads.
 * -ETIMEDOUT: it has not for seconds; -EPIPE: it is gone.
 */
int piece_send(int fd, const struct piece *piece, const struct profile *profile);

#endif
