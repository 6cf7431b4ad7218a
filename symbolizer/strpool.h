/* SPDX-License-Identifier: MIT */
/*
 * Memory that lives as long as its owner, and strings that are stored once.
 *
 * An arena allocates memory that is freed all at once. A string pool stores each string once: equal
 * strings have the same address.
 */
#ifndef SYMBOLIZER_STRPOOL_H
#define SYMBOLIZER_STRPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

struct arena {
	struct arena_chunk *chunks;
	size_t used, bytes; /* of the newest chunk */
};

/* Returns zeroed memory, aligned for any type; NULL: out of memory. */
void *arena_alloc(struct arena *arena, size_t bytes);
void arena_release(struct arena *arena);

struct strpool {
	struct arena arena;
	struct table table;
	const char **text;
	size_t n, room;
};

/* Returns the only copy of @text[0 .. @bytes), cut at a NUL. NULL: out of memory. */
const char *strpool_intern(struct strpool *strings, const char *text, size_t bytes);
void strpool_release(struct strpool *strings);

/* FNV-1a with a final mix: for short keys; nobody gains by collisions. */
uint64_t strpool_hash(const void *data, size_t bytes);

#endif
