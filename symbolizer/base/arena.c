/* SPDX-License-Identifier: MIT */
#include "symbolizer/base/arena.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 64 * 1024, ALIGNMENT = 16 };

struct arena_chunk {
	struct arena_chunk *next;
	uint64_t pad; /* aligns @data to 16 bytes */
	uint8_t data[];
};

void *arena_alloc(struct arena *arena, size_t bytes)
{
	struct arena_chunk *chunk;
	size_t need = (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	size_t chunk_bytes;
	void *at;

	if (need < bytes)
		return NULL;
	if (!arena->chunks || arena->bytes - arena->used < need) {
		chunk_bytes = need > CHUNK_BYTES ? need : CHUNK_BYTES;
		if (chunk_bytes > SIZE_MAX - sizeof(*chunk))
			return NULL;
		chunk = malloc(sizeof(*chunk) + chunk_bytes);
		if (!chunk)
			return NULL;
		chunk->next = arena->chunks;
		arena->chunks = chunk;
		arena->used = 0;
		arena->bytes = chunk_bytes;
	}
	at = arena->chunks->data + arena->used;
	arena->used += need;
	memset(at, 0, need);
	return at;
}

void arena_release(struct arena *arena)
{
	struct arena_chunk *chunk = arena->chunks, *next;

	for (; chunk; chunk = next) {
		next = chunk->next;
		free(chunk);
	}
	*arena = (struct arena){0};
}
