/* SPDX-License-Identifier: MIT */
/*
 * HotSpot's debug information: methods inlined at a pc of compiled code, and the source line of a
 * bytecode (debugInfo.hpp, scopeDesc.hpp, compressedStream.hpp). Pure.
 */
#ifndef ANALYST_HOTSPOT_SCOPES_H
#define ANALYST_HOTSPOT_SCOPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/bytes.h"

/*
 * Compressed numbers. @left: the bytes not read yet. A read behind the end, or of damaged data,
 * returns 0 and sets left.bad.
 */
struct hotspot_stream {
	struct reader left;
	/*
	 * How many of the lowest byte values are unused. From JDK 20 on 1, as a byte of 0 ends
	 * lists; before JDK 20 0.
	 */
	uint8_t excluded;
};

struct hotspot_stream hotspot_stream_over(const uint8_t *data, size_t bytes, uint32_t version);
uint32_t hotspot_stream_unsigned(struct hotspot_stream *stream);
int32_t hotspot_stream_signed(struct hotspot_stream *stream);

/* A scope: a bytecode of a method and, if the method was inlined, the scope of the caller. */
struct hotspot_scope {
	uint32_t sender; /* offset of the caller's scope; 0: this scope is the outermost */
	uint32_t method; /* number in the table of methods, from 1 on; 0: none */
	int32_t bci;     /* byte index of the bytecode; -1: the method's entry */
};

/* Reads the scope at @offset. @version is the JDK's. False: the data are damaged. */
bool hotspot_scope_read(const uint8_t *scopes, size_t bytes, uint32_t offset, uint32_t version,
	struct hotspot_scope *ret_scope);

/* PcDesc: an address of compiled code with debug information. */
struct hotspot_pc {
	int32_t pc;     /* offset from the beginning of the code */
	uint32_t scope; /* offset of its scope */
	uint32_t flags;
	bool first; /* the first PcDesc: the code before its pc is the method's entry */
};
enum { HOTSPOT_PC_BYTES = 16, HOTSPOT_PC_METHOD_HANDLE = 2 };

/*
 * Finds the first PcDesc whose pc is @pc or later. It also describes the code between the PcDesc
 * before it and its own pc. False: there is none.
 */
bool hotspot_pc_find(const uint8_t *pcs, size_t bytes, int64_t pc, struct hotspot_pc *ret_pc);

/* The line of the bytecode at @bci, from a compressed table; 0: unknown. */
uint32_t hotspot_line(const uint8_t *lines, size_t bytes, int32_t bci, uint32_t version);

#endif
