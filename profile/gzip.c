/* SPDX-License-Identifier: MIT */
#include "profile/gzip.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* A window of 2^15 bytes. For zlib, 16 added to the exponent selects gzip's header and trailer. */
enum { GZIP_WINDOW = 15 + 16 };

#define MAX_BYTES         ((size_t)4 << 30)
#define MAX_UNASKED_BYTES ((size_t)256 << 20)
#define MAX_RATIO         256

struct gzip_writer {
	z_stream stream;
	uint8_t *data;
	size_t room;
};

int gzip_writer_new(struct gzip_writer **ret_writer)
{
	struct gzip_writer *writer = calloc(1, sizeof(*writer));

	if (!writer)
		return -ENOMEM;
	if (deflateInit2(&writer->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, 8,
		    Z_DEFAULT_STRATEGY) != Z_OK) {
		free(writer);
		return -ENOMEM;
	}
	*ret_writer = writer;
	return 0;
}

void gzip_writer_free(struct gzip_writer *writer)
{
	if (!writer)
		return;
	(void)deflateEnd(&writer->stream);
	free(writer->data);
	free(writer);
}

static int make_room(z_stream *stream, uint8_t **data, size_t *room)
{
	size_t used = stream->next_out ? (size_t)(stream->next_out - *data) : 0;
	size_t more = *room ? *room * 2 : 64 * 1024;
	uint8_t *moved;

	if (stream->avail_out)
		return 0;
	if (used < *room) {
		more = *room;
		moved = *data;
	} else {
		moved = realloc(*data, more);
	}
	if (!moved)
		return -ENOMEM;
	*data = moved;
	*room = more;
	stream->next_out = moved + used;
	stream->avail_out = more - used > UINT_MAX ? UINT_MAX : (uInt)(more - used);
	return 0;
}

static int run(struct gzip_writer *writer, int flush)
{
	int result;

	do {
		if (make_room(&writer->stream, &writer->data, &writer->room) < 0)
			return -ENOMEM;
		result = deflate(&writer->stream, flush);
		if (result == Z_STREAM_ERROR)
			return -EINVAL;
	} while (flush == Z_FINISH ? result != Z_STREAM_END : writer->stream.avail_in > 0);
	return 0;
}

int gzip_writer_append(struct gzip_writer *writer, const void *data, size_t bytes)
{
	writer->stream.next_in = (Bytef *)(uintptr_t)data;
	while (bytes) {
		uInt piece = bytes > UINT_MAX ? UINT_MAX : (uInt)bytes;
		int error;

		writer->stream.avail_in = piece;
		error = run(writer, Z_NO_FLUSH);
		if (error < 0)
			return error;
		bytes -= piece;
	}
	return 0;
}

int gzip_writer_finish(struct gzip_writer *writer, uint8_t **ret_data, size_t *ret_bytes)
{
	int error = run(writer, Z_FINISH);

	if (error < 0)
		return error;
	*ret_bytes = (size_t)(writer->stream.next_out - writer->data);
	*ret_data = writer->data;
	writer->data = NULL;
	return 0;
}

bool gzip_is(const uint8_t *data, size_t bytes)
{
	return bytes >= 2 && data[0] == 0x1f && data[1] == 0x8b;
}

static bool is_bomb(size_t unpacked, size_t packed)
{
	return unpacked > MAX_BYTES ||
		(unpacked > MAX_UNASKED_BYTES && unpacked / MAX_RATIO > packed);
}

static bool are_zeros(const uint8_t *data, size_t bytes)
{
	return !bytes || (!data[0] && !memcmp(data, data + 1, bytes - 1));
}

static int unpack(z_stream *stream, size_t left, uint8_t **data, size_t *room, bool *ret_more)
{
	size_t packed = left;

	for (;;) {
		int result;

		if (!stream->avail_in) {
			stream->avail_in = left > UINT_MAX ? UINT_MAX : (uInt)left;
			left -= stream->avail_in;
		}
		if (make_room(stream, data, room) < 0)
			return -ENOMEM;
		result = inflate(stream, Z_NO_FLUSH);
		if (is_bomb((size_t)(stream->next_out - *data), packed))
			return -EFBIG;
		if (result == Z_STREAM_END) {
			if (!gzip_is(stream->next_in, stream->avail_in + left)) {
				*ret_more = !are_zeros(stream->next_in, stream->avail_in + left);
				return 0;
			}
			if (inflateReset(stream) != Z_OK)
				return -EBADMSG;
		} else if (result == Z_MEM_ERROR) {
			return -ENOMEM;
		} else if (result == Z_BUF_ERROR) {
			/* No progress although output has room: input is missing. */
			if (!stream->avail_in && !left)
				return -ENODATA;
		} else if (result != Z_OK) {
			return -EBADMSG;
		}
	}
}

int gzip_unpack(
	const uint8_t *data, size_t bytes, uint8_t **ret_data, size_t *ret_bytes, bool *ret_more)
{
	z_stream stream = {.next_in = (Bytef *)(uintptr_t)data};
	uint8_t *unpacked = NULL;
	size_t room = 0;
	int error;

	if (inflateInit2(&stream, GZIP_WINDOW) != Z_OK)
		return -ENOMEM;
	error = unpack(&stream, bytes, &unpacked, &room, ret_more);
	if (error < 0) {
		free(unpacked);
	} else {
		*ret_bytes = (size_t)(stream.next_out - unpacked);
		*ret_data = unpacked;
	}
	(void)inflateEnd(&stream);
	return error;
}
