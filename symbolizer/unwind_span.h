/* SPDX-License-Identifier: MIT */
/*
 * A bounded reader for call frame information, in this machine's byte order. A read past the end
 * yields 0 and sets the sticky flag @bad, so a parser checks once, at the end.
 */
#ifndef SYMBOLIZER_UNWIND_SPAN_H
#define SYMBOLIZER_UNWIND_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct span {
	const uint8_t *p, *end;
	bool bad;
};

static inline struct span span_over(const uint8_t *data, size_t bytes)
{
	return (struct span){data, data + bytes, false};
}

static inline const uint8_t *span_take(struct span *s, uint64_t bytes)
{
	const uint8_t *at = s->p;

	if ((uint64_t)(s->end - s->p) < bytes) {
		s->bad = true;
		s->p = s->end;
		return NULL;
	}
	s->p += bytes;
	return at;
}

static inline uint8_t span_u8(struct span *s)
{
	const uint8_t *at = span_take(s, 1);

	return at ? *at : 0;
}

static inline uint16_t span_u16(struct span *s)
{
	const uint8_t *at = span_take(s, 2);
	uint16_t v = 0;

	if (at)
		memcpy(&v, at, sizeof(v));
	return v;
}

static inline uint32_t span_u32(struct span *s)
{
	const uint8_t *at = span_take(s, 4);
	uint32_t v = 0;

	if (at)
		memcpy(&v, at, sizeof(v));
	return v;
}

static inline uint64_t span_u64(struct span *s)
{
	const uint8_t *at = span_take(s, 8);
	uint64_t v = 0;

	if (at)
		memcpy(&v, at, sizeof(v));
	return v;
}

/* LEB128 (DWARF 5, 7.6). Bits beyond the 64th are dropped. */
static inline uint64_t span_uleb(struct span *s)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = span_u8(s);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return v;
}

static inline int64_t span_sleb(struct span *s)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = span_u8(s);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64 && (byte & 0x40))
		v |= ~UINT64_C(0) << shift;
	return (int64_t)v;
}

#endif
