/* SPDX-License-Identifier: MIT */
/* Memory that lives as long as its owner, and is freed all at once. */
#ifndef SYMBOLIZER_ARENA_H
#define SYMBOLIZER_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena {
	struct arena_chunk *chunks;
	size_t used, bytes; /* of the newest chunk */
};

/* Returns zeroed memory, aligned for any type; NULL: out of memory. */
void *arena_alloc(struct arena *arena, size_t bytes);
void arena_release(struct arena *arena);

#endif
