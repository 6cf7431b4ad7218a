/* SPDX-License-Identifier: MIT */
#include "symbolizer/strpool.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { CHUNK_BYTES = 64 * 1024, ALIGNMENT = 16 };

struct arena_chunk {
	struct arena_chunk *next;
	uint64_t pad; /* keeps the data behind it aligned to 16 */
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

uint64_t strpool_hash(const void *data, size_t bytes)
{
	const uint8_t *p = data;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 32;
}

struct text {
	const char *text;
	size_t bytes;
};

static bool text_equal(const void *things, uint32_t index, const void *key)
{
	const char *have = ((const char *const *)things)[index];
	const struct text *wanted = key;

	return !strncmp(have, wanted->text, wanted->bytes) && !have[wanted->bytes];
}

const char *strpool_intern(struct strpool *strings, const char *text, size_t bytes)
{
	struct text key = {text, strnlen(text, bytes)};
	uint64_t hash = table_hash_bytes(text, key.bytes);
	int index = table_find(&strings->table, hash, text_equal, strings->text, &key);
	char *copy;

	if (index >= 0)
		return strings->text[index];
	copy = arena_alloc(&strings->arena, key.bytes + 1);
	if (!copy || array_grow(&strings->text, &strings->room, strings->n + 1) < 0 ||
		table_add(&strings->table, hash, (uint32_t)strings->n) < 0)
		return NULL;
	memcpy(copy, text, key.bytes);
	strings->text[strings->n++] = copy;
	return copy;
}

void strpool_release(struct strpool *strings)
{
	arena_release(&strings->arena);
	table_release(&strings->table);
	free(strings->text);
	*strings = (struct strpool){0};
}
