/* SPDX-License-Identifier: MIT */
/* gzip in memory: a growing compressed buffer, and bounded decompression. */
#ifndef PROFILE_GZIP_H
#define PROFILE_GZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gzip_writer;

int gzip_writer_new(struct gzip_writer **ret_writer);
void gzip_writer_free(struct gzip_writer *writer);
int gzip_writer_append(struct gzip_writer *writer, const void *data, size_t bytes);
/* Ends the stream. The caller frees the buffer. */
int gzip_writer_finish(struct gzip_writer *writer, uint8_t **ret_data, size_t *ret_bytes);

bool gzip_is(const uint8_t *data, size_t bytes);

/*
 * Decompresses all members into a new buffer that the caller frees. 0; -EBADMSG: damaged; -ENODATA:
 * truncated; -ENOMEM; -EFBIG: the result has more than 4 GiB, or it has more than 256 MiB and is
 * more than 256 times as large as the input, as only a decompression bomb is. *@ret_more: data that
 * are not only zeros follow the last member; they are ignored.
 */
int gzip_unpack(
	const uint8_t *data, size_t bytes, uint8_t **ret_data, size_t *ret_bytes, bool *ret_more);

#endif
