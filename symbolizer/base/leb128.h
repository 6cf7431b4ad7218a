/* SPDX-License-Identifier: MIT */
/* Numbers of variable length, LEB128 (DWARF 5, 7.6). Bits beyond the 64th are dropped. */
#ifndef SYMBOLIZER_LEB128_H
#define SYMBOLIZER_LEB128_H

#include <stdbool.h>

#include "proto/bytes.h"

/*
 * Reads a number, and returns it as an unsigned one. *@ret_bits is how many bits were read.
 * *@ret_negative says whether the number, read as a signed one, is below 0.
 */
static inline uint64_t get_leb(struct reader *r, unsigned *ret_bits, bool *ret_negative)
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
	*ret_bits = shift;
	*ret_negative = byte & 0x40;
	return v;
}

static inline uint64_t get_uleb(struct reader *r)
{
	unsigned bits;
	bool negative;

	/* Most numbers are below 128. */
	if (r->p < r->end && *r->p < 0x80)
		return *r->p++;
	return get_leb(r, &bits, &negative);
}

static inline int64_t get_sleb(struct reader *r)
{
	unsigned bits;
	bool negative;
	uint64_t v = get_leb(r, &bits, &negative);

	return (int64_t)(negative && bits < 64 ? v | ~UINT64_C(0) << bits : v);
}

#endif
