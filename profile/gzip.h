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
/* Ends the stream; the caller frees the buffer. Nothing may be appended afterwards. */
int gzip_writer_finish(struct gzip_writer *writer, uint8_t **ret_data, size_t *ret_bytes);

bool gzip_is(const uint8_t *data, size_t bytes);

/*
 * Unpacks all members into a fresh buffer that the caller frees. -EBADMSG: damaged; -ENODATA: ends
 * too early; -EFBIG: would be more than 4 GiB, or more than 256 MiB and 256 times the packed size,
 * which no real profile is and a bomb must be; -ENOMEM. What follows the last member is left alone;
 * *@ret_more tells whether there is something but zeros, by which a file may be padded.
 */
int gzip_unpack(
	const uint8_t *data, size_t bytes, uint8_t **ret_data, size_t *ret_bytes, bool *ret_more);

#endif
