/* SPDX-License-Identifier: MIT */
/*
 * A pool of strings: each stored once, NUL-terminated, at a fixed address. After pool_init(), id 0
 * is "". A pool that is all zeros is empty.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

struct pool {
	struct table table;
	struct pool_item *item;
	size_t n, room;
	struct pool_chunk *chunk; /* newest first */
};

struct pool_item {
	const char *text;
	size_t bytes;
};

int pool_init(struct pool *pool);
void pool_release(struct pool *pool);

/* Finds or adds the string of @bytes bytes (up to its first NUL): its id. -ENOMEM. */
int pool_add(struct pool *pool, const char *text, size_t bytes);
/* Likewise for a NUL-terminated string; NULL counts as "". */
int pool_add_text(struct pool *pool, const char *text);

static inline const char *pool_at(const struct pool *pool, uint32_t id)
{
	return pool->item[id].text;
}

/* The only copy of the string of @bytes bytes (up to its first NUL). NULL: out of memory. */
static inline const char *pool_intern(struct pool *pool, const char *text, size_t bytes)
{
	int id = pool_add(pool, text, bytes);

	return id < 0 ? NULL : pool_at(pool, (uint32_t)id);
}

#endif
