/* SPDX-License-Identifier: MIT */
/*
 * Pieces of a profile, from analysts to the server. A packet (SOCK_SEQPACKET) announces a piece,
 * and carries a descriptor: the reading end of a pipe with the piece as a pprof file. The analyst
 * is the process that makes a profile of the samples. If it ends, another one takes over: a segment
 * is what one analyst has taken. docs/PROTOCOL.md, section 5, has the layout.
 */
#ifndef PROTO_PIECE_H
#define PROTO_PIECE_H

#include <stddef.h>
#include <stdint.h>

#define PIECE_MAGIC UINT32_C(0x43504653) /* "SFPC" */
#define PIECE_BYTES 32

enum piece_kind {
	PIECE_SO_FAR = 1, /* a segment's records up to now; the segment continues */
	PIECE_WHOLE = 2,  /* all records of a segment that has ended */
};

struct piece {
	uint32_t kind;     /* enum piece_kind */
	uint32_t segment;  /* number of the analyst, from 1 on */
	uint64_t began_ns; /* CLOCK_MONOTONIC of the first record of the segment */
	uint64_t until_ns; /* CLOCK_MONOTONIC of the last record in the piece */
};

void piece_put(uint8_t to[PIECE_BYTES], const struct piece *piece);
/* Decodes. 0; -EPROTO: it is malformed, or the piece ends before it begins. */
int piece_get(const uint8_t *from, size_t bytes, struct piece *ret_piece);

#endif
