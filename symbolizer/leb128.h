/* SPDX-License-Identifier: MIT */
/* Numbers of variable length, LEB128 (DWARF 5, 7.6). Bits beyond the 64th are dropped. */
#ifndef SYMBOLIZER_LEB128_H
#define SYMBOLIZER_LEB128_H

#include "proto/bytes.h"

static inline uint64_t get_uleb(struct reader *r)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = get_u8(r);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return v;
}

static inline int64_t get_sleb(struct reader *r)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = get_u8(r);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64 && (byte & 0x40))
		v |= ~UINT64_C(0) << shift;
	return (int64_t)v;
}

#endif
