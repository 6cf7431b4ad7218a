/* SPDX-License-Identifier: MIT */
/*
 * Primitives for reading a hostile protocol buffer in bounded memory: fields one by one, an arena
 * for the message unpacked last, and a map from ids to indexes.
 */
#ifndef PROFILE_PPROF_SCAN_H
#define PROFILE_PPROF_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

#include "base/table.h"

struct byte_span {
	const uint8_t *p, *end;
};

/* A varint field sets @value. A field with a length or of fixed size sets @data and @bytes. */
struct field {
	uint32_t number;
	bool delimited;
	uint64_t value;
	const uint8_t *data;
	size_t bytes;
};

/*
 * Each reads the next item. 1: there is one; 0: the end of the span; -EBADMSG: the item is
 * malformed or truncated.
 */
int pprof_scan_field(struct byte_span *span, struct field *ret_field);
int pprof_scan_varint(struct byte_span *span, uint64_t *ret_value);

/* The memory of one unpacked message, freed all at once. */
struct scan_arena {
	ProtobufCAllocator allocator; /* for protobuf-c */
	struct scan_chunk *chunk;     /* newest first */
	size_t taken;
	bool no_memory; /* malloc has failed; false: only the arena's limit was exceeded */
};

void scan_arena_init(struct scan_arena *arena);
void scan_arena_reset(struct scan_arena *arena);
void scan_arena_release(struct scan_arena *arena);

/* Maps ids of the file to indexes of the model. */
struct ids {
	struct table table;
	struct ids_item *item;
	size_t n, room;
};

struct ids_item {
	uint64_t id;
	uint32_t index;
};

void ids_release(struct ids *ids);
/* Returns 0, -ENOMEM, or -EEXIST if @id is mapped already. */
int ids_add(struct ids *ids, uint64_t id, uint32_t index);
/* Returns the index, or -ENOENT. */
int ids_find(const struct ids *ids, uint64_t id);

#endif
