/* SPDX-License-Identifier: MIT */
#include "analyst/hotspot/hotspot_scopes.h"

#include "base/array.h"
#include "base/load.h"

/*
 * A number has up to five bytes. Each byte minus stream->excluded is a digit to base 64; the lowest
 * digit is first. A byte below 192 is the last one.
 */
enum { DIGIT_BITS = 6, BYTES_MOST = 5, LAST_BELOW = 192 };

struct hotspot_stream hotspot_stream_over(const uint8_t *data, size_t bytes, uint32_t version)
{
	return (struct hotspot_stream){reader_over(data, bytes), version >= 20};
}

uint32_t hotspot_stream_unsigned(struct hotspot_stream *stream)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < BYTES_MOST; i++) {
		uint32_t byte = get_u8(&stream->left);

		if (stream->left.bad || byte < stream->excluded) {
			stream->left.bad = true;
			return 0;
		}
		sum += (byte - stream->excluded) << (i * DIGIT_BITS);
		if (byte < LAST_BELOW)
			break;
	}
	return sum;
}

/* The lowest bit is the sign. */
int32_t hotspot_stream_signed(struct hotspot_stream *stream)
{
	uint32_t value = hotspot_stream_unsigned(stream);

	return (int32_t)((value >> 1) ^ (0 - (value & 1)));
}

bool hotspot_scope_read(const uint8_t *scopes, size_t bytes, uint32_t offset, uint32_t version,
	struct hotspot_scope *ret_scope)
{
	struct hotspot_stream stream;
	struct hotspot_scope scope;

	if (!offset || offset >= bytes)
		return false;
	stream = hotspot_stream_over(scopes + offset, bytes - offset, version);
	scope.sender = hotspot_stream_unsigned(&stream);
	scope.method = hotspot_stream_unsigned(&stream);
	scope.bci = (int32_t)hotspot_stream_unsigned(&stream) - 1;
	if (stream.left.bad)
		return false;
	*ret_scope = scope;
	return true;
}

static int32_t pc_at(const uint8_t *pcs, size_t index)
{
	return (int32_t)load_u32(pcs + index * HOTSPOT_PC_BYTES);
}

bool hotspot_pc_find(const uint8_t *pcs, size_t bytes, int64_t pc, struct hotspot_pc *ret_pc)
{
	size_t n = bytes / HOTSPOT_PC_BYTES, at = array_bisect(i, 0, n, pc_at(pcs, i) < pc);

	if (at == n)
		return false;
	*ret_pc = (struct hotspot_pc){
		.pc = pc_at(pcs, at),
		.scope = load_u32(pcs + at * HOTSPOT_PC_BYTES + 4),
		.flags = load_u32(pcs + at * HOTSPOT_PC_BYTES + 12),
		/*
		 * The table begins with an entry for no code, which has a negative pc. The first
		 * PcDesc for code is the one behind that entry.
		 */
		.first = !at || pc_at(pcs, at - 1) < 0,
	};
	return true;
}

/*
 * The upper 5 bits of a byte are the growth of the bytecode index, the lower 3 bits that of the
 * line. After a byte of 0xff, two signed numbers follow that are these growths. A byte of 0 ends
 * the table. Entries are in no order, and several may have the same index. The result is the line
 * of the greatest index up to @bci; of several entries with that index, the last one counts.
 */
uint32_t hotspot_line(const uint8_t *lines, size_t bytes, int32_t bci, uint32_t version)
{
	struct hotspot_stream stream = hotspot_stream_over(lines, bytes, version);
	int64_t at = 0, line = 0, best = -1, found = 0;

	while (!stream.left.bad) {
		uint32_t byte = get_u8(&stream.left);

		if (!byte)
			break;
		if (byte == 0xff) {
			at += hotspot_stream_signed(&stream);
			line += hotspot_stream_signed(&stream);
		} else {
			at += byte >> 3;
			line += byte & 7;
		}
		if (stream.left.bad)
			break;
		if (at <= bci && at >= best) {
			best = at;
			found = line;
		}
	}
	return found > 0 && found <= UINT16_MAX ? (uint32_t)found : 0;
}
