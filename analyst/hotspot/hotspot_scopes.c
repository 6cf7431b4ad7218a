/* SPDX-License-Identifier: MIT */
#include "analyst/hotspot/hotspot_scopes.h"

#include <string.h>

/*
 * A compressed number is up to five bytes, the lowest digit first, each of 64 times the weight of
 * the one before. A byte below 192 is the last. A digit is its byte less stream->excluded.
 */
enum { DIGIT_BITS = 6, BYTES_MOST = 5, LAST_BELOW = 192 };

struct hotspot_stream hotspot_stream_over(const uint8_t *data, size_t bytes, uint32_t version)
{
	return (struct hotspot_stream){data, data + bytes, version >= 20, false};
}

static uint32_t byte_of(struct hotspot_stream *stream)
{
	if (stream->at == stream->end) {
		stream->bad = true;
		return 0;
	}
	return *stream->at++;
}

uint32_t hotspot_stream_unsigned(struct hotspot_stream *stream)
{
	uint32_t sum = 0;

	for (unsigned i = 0; i < BYTES_MOST; i++) {
		uint32_t byte = byte_of(stream);

		if (stream->bad || byte < stream->excluded) {
			stream->bad = true;
			return 0;
		}
		sum += (byte - stream->excluded) << (i * DIGIT_BITS);
		if (byte < LAST_BELOW)
			break;
	}
	return sum;
}

/* The lowest bit of a signed number is its sign. */
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
	if (stream.bad)
		return false;
	*ret_scope = scope;
	return true;
}

static int32_t pc_at(const uint8_t *pcs, size_t index)
{
	int32_t pc;

	memcpy(&pc, pcs + index * HOTSPOT_PC_BYTES, sizeof(pc));
	return pc;
}

bool hotspot_pc_find(const uint8_t *pcs, size_t bytes, int64_t pc, struct hotspot_pc *ret_pc)
{
	size_t low = 0, high = bytes / HOTSPOT_PC_BYTES;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pc_at(pcs, middle) < pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == bytes / HOTSPOT_PC_BYTES)
		return false;
	ret_pc->pc = pc_at(pcs, low);
	/* The table begins with an entry of a negative pc, which stands for no code. */
	ret_pc->first = !low || pc_at(pcs, low - 1) < 0;
	memcpy(&ret_pc->scope, pcs + low * HOTSPOT_PC_BYTES + 4, sizeof(ret_pc->scope));
	memcpy(&ret_pc->flags, pcs + low * HOTSPOT_PC_BYTES + 12, sizeof(ret_pc->flags));
	return true;
}

/*
 * Each byte of the table says by how much the bytecode index (5 bits) and the line (3 bits) grow;
 * after 0xff two signed numbers follow instead; 0 ends the table. Entries are in no order, and
 * several may have the same index: the last entry with the greatest index up to @bci counts.
 */
uint32_t hotspot_line(const uint8_t *lines, size_t bytes, int32_t bci, uint32_t version)
{
	struct hotspot_stream stream = hotspot_stream_over(lines, bytes, version);
	int64_t at = 0, line = 0, best = -1, found = 0;

	while (!stream.bad) {
		uint32_t byte = byte_of(&stream);

		if (!byte)
			break;
		if (byte == 0xff) {
			at += hotspot_stream_signed(&stream);
			line += hotspot_stream_signed(&stream);
		} else {
			at += byte >> 3;
			line += byte & 7;
		}
		if (stream.bad)
			break;
		if (at <= bci && at >= best) {
			best = at;
			found = line;
		}
	}
	return found > 0 && found <= UINT16_MAX ? (uint32_t)found : 0;
}
