/* SPDX-License-Identifier: MIT */
/*
 * Offsets, in bytes, of fields in the objects that hold the frames of Java's virtual threads
 * (supervisor/target/chunks.h). The offsets depend on two options of HotSpot, those for narrow
 * pointers and for compact object headers. They do not depend on its version (JDK 21 to 27).
 */
#ifndef PROTO_CHUNK_LAYOUT_H
#define PROTO_CHUNK_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Narrow: 4-byte pointers; wide: 8-byte ones. Compact: 8-byte object headers instead of 12. */
enum chunk_layout {
	CHUNK_NARROW,
	CHUNK_WIDE,
	CHUNK_NARROW_COMPACT,
	CHUNK_WIDE_COMPACT,
	CHUNK_LAYOUTS
};

/* Bytes read of each object. All fields in struct chunk_fields lie within them. */
enum { CHUNK_HEADER_BYTES = 56 };

/*
 * A sample places its copy of the frames at this address, where the target has no memory. The copy
 * has for each chunk, the newest first, a count of words and the words: those from two words below
 * the frames to the end of the frames. A count of 0 ends the copy. If it is missing, some chunks
 * could not be read.
 */
#define CHUNKS_BASE (UINT64_C(1) << 60)

struct chunk_fields {
	bool wide;
	uint8_t tail; /* offset of the pointer to the newest chunk, in a Continuation */
	/* Offsets in a chunk. Its stack follows its fields. */
	uint8_t size, sp, bottom, parent, cont, stack;
};

static inline struct chunk_fields chunk_fields(enum chunk_layout layout)
{
	static const struct chunk_fields fields[CHUNK_LAYOUTS] = {
		[CHUNK_NARROW] = {false, 32, 12, 24, 28, 40, 44, 48},
		[CHUNK_WIDE] = {true, 48, 12, 24, 28, 40, 48, 56},
		[CHUNK_NARROW_COMPACT] = {false, 28, 16, 20, 24, 36, 40, 48},
		[CHUNK_WIDE_COMPACT] = {true, 48, 16, 20, 24, 40, 48, 56},
	};

	return fields[layout];
}

/*
 * Returns the address in a pointer of ZGC (zAddress.hpp, JDK 21 to 27). Bits 4 to 15 are colours,
 * one of which is set in bits 12 to 15. The address is in the bits above that one. 0: null.
 */
static inline uint64_t chunk_uncoloured(uint64_t pointer)
{
	const unsigned colour = (unsigned)(pointer >> 12 & 15);

	return colour ? pointer >> (13 + __builtin_ctz(colour)) : 0;
}

/*
 * Returns the address in the pointer at offset @at of an object; 0: null. A narrow pointer is
 * shifted left by @shift, and relative to @base. If pointers are wide, @shift only says whether
 * they have ZGC's colours: not 0 means that they have.
 */
static inline uint64_t chunk_pointer(
	const uint8_t *object, uint8_t at, bool wide, uint64_t base, uint8_t shift)
{
	uint32_t narrow;
	uint64_t address;

	if (wide) {
		memcpy(&address, object + at, sizeof(address));
		return shift ? chunk_uncoloured(address) : address;
	}
	memcpy(&narrow, object + at, sizeof(narrow));
	return narrow ? base + ((uint64_t)narrow << shift) : 0;
}

#endif
