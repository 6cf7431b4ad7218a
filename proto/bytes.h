/* SPDX-License-Identifier: MIT */
/*
 * Bounded little-endian cursors, for the wire formats.
 *
 * A read past the end yields 0 and sets @bad; a write past the end writes nothing and sets @bad.
 * @bad stays set, so a codec checks it once, after its last field. Nothing here allocates or does
 * I/O, so all of it may run while a thread of the target is stopped.
 */
#ifndef PROTO_BYTES_H
#define PROTO_BYTES_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct reader {
	const uint8_t *p, *end;
	bool bad;
};

struct writer {
	uint8_t *p, *end;
	bool bad;
};

static inline struct reader reader_over(const void *data, size_t bytes)
{
	return (struct reader){data, (const uint8_t *)data + bytes, false};
}

static inline struct writer writer_over(void *data, size_t bytes)
{
	return (struct writer){data, (uint8_t *)data + bytes, false};
}

/* Returns a pointer to the next @bytes bytes. If fewer are left, returns NULL and sets @bad. */
static inline const uint8_t *get_bytes(struct reader *r, size_t bytes)
{
	const uint8_t *p = r->p;

	if ((size_t)(r->end - r->p) < bytes) {
		r->bad = true;
		r->p = r->end;
		return NULL;
	}
	r->p += bytes;
	return p;
}

static inline uint8_t get_u8(struct reader *r)
{
	if (r->p == r->end) {
		r->bad = true;
		return 0;
	}
	return *r->p++;
}

static inline uint64_t get_le(struct reader *r, unsigned bytes)
{
	const uint8_t *p = get_bytes(r, bytes);
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, bytes);
	return le64toh(v);
}

static inline uint16_t get_u16(struct reader *r)
{
	return (uint16_t)get_le(r, 2);
}

static inline uint32_t get_u32(struct reader *r)
{
	return (uint32_t)get_le(r, 4);
}

static inline uint64_t get_u64(struct reader *r)
{
	return get_le(r, 8);
}

/* Returns the room for the next @bytes bytes. If less is left, returns NULL and sets @bad. */
static inline uint8_t *put_room(struct writer *w, size_t bytes)
{
	uint8_t *p = w->p;

	if ((size_t)(w->end - w->p) < bytes) {
		w->bad = true;
		w->p = w->end;
		return NULL;
	}
	w->p += bytes;
	return p;
}

static inline void put_bytes(struct writer *w, const void *data, size_t bytes)
{
	uint8_t *p = put_room(w, bytes);

	if (p && bytes)
		memcpy(p, data, bytes);
}

static inline void put_le(struct writer *w, uint64_t v, unsigned bytes)
{
	uint8_t le[8];

	for (unsigned i = 0; i < 8; i++)
		le[i] = (uint8_t)(v >> (8 * i));
	put_bytes(w, le, bytes);
}

static inline void put_u8(struct writer *w, uint8_t v)
{
	put_le(w, v, 1);
}

static inline void put_u16(struct writer *w, uint16_t v)
{
	put_le(w, v, 2);
}

static inline void put_u32(struct writer *w, uint32_t v)
{
	put_le(w, v, 4);
}

static inline void put_u64(struct writer *w, uint64_t v)
{
	put_le(w, v, 8);
}

/*
 * A record's layout is an array of struct wire_field, which lists its fields in order, and ends
 * with a field of 0 bytes. An array of integers is one field. Integers are copied as they are,
 * because all supported machines are little-endian. A text is a pointer in the structure; in the
 * record it is the characters and a NUL.
 */
_Static_assert(__BYTE_ORDER == __LITTLE_ENDIAN, "the wire formats are those of the memory");

struct wire_field {
	uint16_t offset; /* in the structure, or WIRE_ZEROS */
	uint16_t bytes;  /* of a text: the maximum, without the NUL */
	bool is_text;
};

enum { WIRE_ZEROS = UINT16_MAX }; /* the structure lacks this field */

#define WIRE(structure, member)                                                                    \
	{                                                                                          \
		offsetof(struct structure, member), sizeof(((struct structure *)0)->member), false \
	}
#define WIRE_TEXT(structure, member, most)                       \
	{                                                        \
		offsetof(struct structure, member), (most), true \
	}
/* Bytes that are written as 0 and not read. */
#define WIRE_UNUSED(bytes)                 \
	{                                  \
		WIRE_ZEROS, (bytes), false \
	}

/* Cuts the text after @most bytes; NULL stands for "". */
static inline void put_string(struct writer *w, const char *text, size_t most)
{
	put_bytes(w, text, text ? strnlen(text, most) : 0);
	put_u8(w, 0);
}

/* Returns "" and sets @bad if the text is longer than @most bytes, or has no end. */
static inline const char *get_string(struct reader *r, size_t most)
{
	size_t left = (size_t)(r->end - r->p);
	const uint8_t *nul = left ? memchr(r->p, 0, left < most + 1 ? left : most + 1) : NULL;

	if (nul)
		return (const char *)get_bytes(r, (size_t)(nul - r->p) + 1);
	r->bad = true;
	r->p = r->end;
	return "";
}

static inline void put_fields(struct writer *w, const void *from, const struct wire_field *field)
{
	static const uint8_t zeros[8];

	for (; field->bytes; field++) {
		const void *member = (const uint8_t *)from + field->offset;

		if (field->offset == WIRE_ZEROS)
			put_bytes(w, zeros, field->bytes);
		else if (field->is_text)
			put_string(w, *(const char *const *)member, field->bytes);
		else
			put_bytes(w, member, field->bytes);
	}
}

/* Fields past the end of the span become 0, or the text "". */
static inline void get_fields(struct reader *r, void *to, const struct wire_field *field)
{
	for (; field->bytes; field++) {
		void *member = (uint8_t *)to + field->offset;
		const uint8_t *p = field->is_text ? NULL : get_bytes(r, field->bytes);

		if (field->is_text)
			*(const char **)member = get_string(r, field->bytes);
		else if (field->offset == WIRE_ZEROS)
			continue;
		else if (p)
			memcpy(member, p, field->bytes);
		else
			memset(member, 0, field->bytes);
	}
}

#endif
