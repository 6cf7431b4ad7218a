/* SPDX-License-Identifier: MIT */
#include "proto/piece.h"

#include <errno.h>

#include "proto/bytes.h"

void piece_put(uint8_t to[PIECE_BYTES], const struct piece *piece)
{
	struct writer w = writer_over(to, PIECE_BYTES);

	put_u32(&w, PIECE_MAGIC);
	put_u32(&w, piece->kind);
	put_u32(&w, piece->segment);
	put_u32(&w, 0);
	put_u64(&w, piece->began_ns);
	put_u64(&w, piece->until_ns);
}

int piece_get(const uint8_t *from, size_t bytes, struct piece *ret_piece)
{
	struct reader r = reader_over(from, bytes);
	struct piece piece;
	uint32_t magic = get_u32(&r), zero;

	piece.kind = get_u32(&r);
	piece.segment = get_u32(&r);
	zero = get_u32(&r);
	piece.began_ns = get_u64(&r);
	piece.until_ns = get_u64(&r);
	if (r.bad || bytes != PIECE_BYTES || magic != PIECE_MAGIC || zero || !piece.segment ||
		(piece.kind != PIECE_SO_FAR && piece.kind != PIECE_WHOLE) ||
		piece.began_ns > piece.until_ns)
		return -EPROTO;
	*ret_piece = piece;
	return 0;
}
