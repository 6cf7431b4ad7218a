/* SPDX-License-Identifier: MIT */
/*
 * HotSpot's debug information: which methods a place of compiled code belongs to, and which line a
 * bytecode (debugInfo.hpp, scopeDesc.hpp, compressedStream.hpp). Pure.
 */
#ifndef ANALYST_HOTSPOT_SCOPES_H
#define ANALYST_HOTSPOT_SCOPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Compressed numbers; a read past the end, or a damaged one, sets @bad, and gives 0. */
struct hotspot_stream {
	const uint8_t *at, *end;
	/* What no byte of a number may be: 0, or from JDK 20 on 1, for 0 ends a list. */
	uint8_t excluded;
	bool bad;
};

struct hotspot_stream hotspot_stream_over(const uint8_t *data, size_t bytes, uint32_t version);
uint32_t hotspot_stream_unsigned(struct hotspot_stream *stream);
int32_t hotspot_stream_signed(struct hotspot_stream *stream);

/* A place in a method. */
struct hotspot_scope {
	uint32_t sender; /* where the caller's scope is; 0: it is the outermost one */
	uint32_t method; /* number in the table of methods, from 1 on; 0: none */
	int32_t bci;     /* -1: the method's entry */
};

/* Reads the scope at @offset. False: damaged. */
bool hotspot_scope_read(const uint8_t *scopes, size_t bytes, uint32_t offset, uint32_t version,
	struct hotspot_scope *ret_scope);

/* An address of compiled code that has debug information: PcDesc. */
struct hotspot_pc {
	int32_t pc; /* from the beginning of the code on */
	uint32_t scope;
	uint32_t flags;
	bool first; /* the method's first one: before it is the method's entry */
};
enum { HOTSPOT_PC_BYTES = 16, HOTSPOT_PC_METHOD_HANDLE = 2 };

/*
 * The first of the ascending @pcs that is not before @pc: code that precedes a call or a check
 * belongs to it. False: there is none.
 */
bool hotspot_pc_find(const uint8_t *pcs, size_t bytes, int64_t pc, struct hotspot_pc *ret_pc);

/* The line of a bytecode, from a method's compressed table; 0: unknown. */
uint32_t hotspot_line(const uint8_t *lines, size_t bytes, int32_t bci, uint32_t version);

#endif
