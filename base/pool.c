/* SPDX-License-Identifier: MIT */
#include "base/pool.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"

enum { CHUNK_BYTES = 64 * 1024 - 64 };

struct pool_chunk {
	struct pool_chunk *next;
	size_t used, room;
	char data[];
};

int pool_init(struct pool *pool)
{
	int id;

	*pool = (struct pool){0};
	id = pool_add(pool, "", 0);
	if (id < 0)
		pool_release(pool);
	return id;
}

void pool_release(struct pool *pool)
{
	struct pool_chunk *chunk = pool->chunk;

	while (chunk) {
		struct pool_chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
	table_release(&pool->table);
	table_release(&pool->longs);
	free(pool->item);
	*pool = (struct pool){0};
}

static char *room_for(struct pool *pool, size_t bytes)
{
	struct pool_chunk *chunk = pool->chunk;
	size_t room = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;

	if (!chunk || chunk->room - chunk->used < bytes) {
		chunk = malloc(sizeof(*chunk) + room);
		if (!chunk)
			return NULL;
		*chunk = (struct pool_chunk){.next = pool->chunk, .room = room};
		pool->chunk = chunk;
	}
	chunk->used += bytes;
	return chunk->data + chunk->used - bytes;
}

struct wanted {
	const char *text;
	size_t bytes; /* without a NUL */
};

static bool equal(const void *items, uint32_t index, const void *key)
{
	const char *text = ((const char *const *)items)[index];
	const struct wanted *wanted = key;

	return !strncmp(text, wanted->text, wanted->bytes) && !text[wanted->bytes];
}

int pool_add(struct pool *pool, const char *text, size_t bytes)
{
	struct wanted key = {text, strnlen(text, bytes)};
	uint64_t hash = table_hash_bytes(table_seed(), text, key.bytes);
	const uint32_t new_id = (uint32_t)pool->n;
	char *copy;
	int id = table_find(&pool->table, hash, equal, pool->item, &key);

	if (id >= 0)
		return id;
	if (array_grow(&pool->item, &pool->room, pool->n + 1) < 0)
		return -ENOMEM;
	copy = room_for(pool, sizeof(new_id) + key.bytes + 1);
	if (!copy)
		return -ENOMEM;
	/* pool_id() reads the id in front of the string. */
	memcpy(copy, &new_id, sizeof(new_id));
	copy += sizeof(new_id);
	memcpy(copy, text, key.bytes);
	copy[key.bytes] = '\0';
	id = table_add(&pool->table, hash, new_id);
	if (id < 0)
		return id;
	/* Without memory for this entry, the string is still found by its bytes. */
	if (key.bytes >= POOL_LONG_BYTES)
		(void)table_add(&pool->longs, (uintptr_t)copy, new_id);
	pool->item[pool->n] = copy;
	return (int)pool->n++;
}

static bool is_at(const void *items, uint32_t index, const void *key)
{
	return ((const char *const *)items)[index] == key;
}

int pool_add_text(struct pool *pool, const char *text)
{
	int id;

	if (!text)
		return pool_add(pool, "", 0);
	id = table_find(&pool->longs, (uintptr_t)text, is_at, pool->item, text);
	return id >= 0 ? id : pool_add(pool, text, strlen(text));
}
