/* SPDX-License-Identifier: MIT */
/*
 * A pool of strings. Each is stored once, NUL-terminated, at an address that does not change. After
 * pool_init(), id 0 is "". A pool of zeros is valid, too, but has no string yet.
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"

/*
 * A string of this length or more is found by its address, too. Otherwise a file that refers to a
 * string of a megabyte a million times would have it compared a million times, which takes too long
 * for the size of the file.
 */
#define POOL_LONG_BYTES 4096

struct pool {
	struct table table;
	struct table longs; /* strings of POOL_LONG_BYTES and more, by their address */
	struct pool_item *item;
	size_t n, room;
	struct pool_chunk *chunk; /* newest first */
};

struct pool_item {
	const char *text;
	size_t bytes;
};

/* Creates the pool with "" as id 0. 0, or -ENOMEM. */
int pool_init(struct pool *pool);
void pool_release(struct pool *pool);

/* Finds or adds the string of @bytes bytes, which ends at its first NUL. Its id, or -ENOMEM. */
int pool_add(struct pool *pool, const char *text, size_t bytes);
/*
 * Like pool_add(), for a NUL-terminated string; NULL counts as "". A long string that pool_at() has
 * returned is found by its address, without being read.
 */
int pool_add_text(struct pool *pool, const char *text);

static inline const char *pool_at(const struct pool *pool, uint32_t id)
{
	return pool->item[id].text;
}

/* Like pool_add(), but returns the address of the only copy. NULL: out of memory. */
static inline const char *pool_intern(struct pool *pool, const char *text, size_t bytes)
{
	int id = pool_add(pool, text, bytes);

	return id < 0 ? NULL : pool_at(pool, (uint32_t)id);
}

#endif
