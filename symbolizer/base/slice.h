/* SPDX-License-Identifier: MIT */
/* Bytes of a file, read at offsets and with bounds checks. A slice does not own its bytes. */
#ifndef SYMBOLIZER_SLICE_H
#define SYMBOLIZER_SLICE_H

#include "proto/bytes.h"

struct slice {
	const uint8_t *data; /* NULL: there are no bytes */
	uint64_t bytes;
};

/* The @bytes bytes at @at; empty if the slice has fewer. */
static inline struct slice slice_part(struct slice from, uint64_t at, uint64_t bytes)
{
	if (!from.data || at > from.bytes || bytes > from.bytes - at)
		return (struct slice){0};
	return (struct slice){from.data + at, bytes};
}

static inline struct slice slice_rest(struct slice from, uint64_t at)
{
	return at < from.bytes ? slice_part(from, at, from.bytes - at) : (struct slice){0};
}

static inline struct slice slice_first(struct slice from, uint64_t most)
{
	return (struct slice){from.data, from.bytes < most ? from.bytes : most};
}

static inline struct reader slice_reader(struct slice from, uint64_t at)
{
	struct slice rest = slice_rest(from, at);

	return rest.data ? reader_over(rest.data, rest.bytes) : (struct reader){.bad = true};
}

/* Copies the @bytes bytes at @at. False, here and below: the slice has fewer. */
static inline bool slice_read(struct slice from, uint64_t at, void *to, size_t bytes)
{
	struct slice part = slice_part(from, at, bytes);

	if (part.data)
		memcpy(to, part.data, bytes);
	return part.data;
}

static inline bool slice_u32(struct slice from, uint64_t at, uint32_t *ret_value)
{
	return slice_read(from, at, ret_value, sizeof(*ret_value));
}

static inline bool slice_u64(struct slice from, uint64_t at, uint64_t *ret_value)
{
	return slice_read(from, at, ret_value, sizeof(*ret_value));
}

/* Reads a word of @bytes bytes, which are 8 or 4. */
static inline bool slice_word(struct slice from, uint64_t at, unsigned bytes, uint64_t *ret_value)
{
	uint32_t narrow;

	if (bytes == 8)
		return slice_u64(from, at, ret_value);
	if (!slice_u32(from, at, &narrow))
		return false;
	*ret_value = narrow;
	return true;
}

/* The string at @at; NULL: it does not end within the slice. */
static inline const char *slice_string(struct slice from, uint64_t at)
{
	struct slice rest = slice_rest(from, at);

	return rest.data && memchr(rest.data, 0, rest.bytes) ? (const char *)rest.data : NULL;
}

#endif
