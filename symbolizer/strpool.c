/* SPDX-License-Identifier: MIT */
#include "symbolizer/strpool.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 64 * 1024, ALIGNMENT = 16, FIRST_CAPACITY = 256 };

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

struct strpool_slot {
	uint64_t hash;
	const char *text; /* NULL: free */
};

uint64_t strpool_hash(const void *data, size_t bytes)
{
	const uint8_t *p = data;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 32;
}

static int grow(struct strpool *strings)
{
	size_t capacity = strings->capacity ? strings->capacity * 2 : FIRST_CAPACITY;
	struct strpool_slot *slots = calloc(capacity, sizeof(*slots));

	if (!slots)
		return -1;
	for (size_t i = 0; i < strings->capacity; i++) {
		size_t at = (size_t)strings->slots[i].hash & (capacity - 1);

		if (!strings->slots[i].text)
			continue;
		while (slots[at].text)
			at = (at + 1) & (capacity - 1);
		slots[at] = strings->slots[i];
	}
	free(strings->slots);
	strings->slots = slots;
	strings->capacity = capacity;
	return 0;
}

const char *strpool_intern(struct strpool *strings, const char *text, size_t bytes)
{
	uint64_t hash;
	size_t at;
	char *copy;

	bytes = strnlen(text, bytes);
	hash = strpool_hash(text, bytes);
	if (strings->n * 4 >= strings->capacity * 3 && grow(strings))
		return NULL;
	at = (size_t)hash & (strings->capacity - 1);
	for (; strings->slots[at].text; at = (at + 1) & (strings->capacity - 1)) {
		const char *have = strings->slots[at].text;

		if (strings->slots[at].hash == hash && strncmp(have, text, bytes) == 0 &&
			have[bytes] == '\0')
			return have;
	}
	copy = arena_alloc(&strings->arena, bytes + 1);
	if (!copy)
		return NULL;
	memcpy(copy, text, bytes);
	strings->slots[at] = (struct strpool_slot){.hash = hash, .text = copy};
	strings->n++;
	return copy;
}

void strpool_release(struct strpool *strings)
{
	arena_release(&strings->arena);
	free(strings->slots);
	*strings = (struct strpool){0};
}
