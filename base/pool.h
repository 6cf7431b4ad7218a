/* SPDX-License-Identifier: MIT */
/*
 * A pool of strings. Each is stored once, NUL-terminated, at an unchanging address. After
 * pool_init(), id 0 is "". A struct pool that is all 0 is valid, and has no strings, not even "".
 */
#ifndef BASE_POOL_H
#define BASE_POOL_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/table.h"

/*
 * A string of this many bytes or more is found by its address, too. A small file may refer to a
 * string of a megabyte a million times: to compare the bytes each time would take too long.
 */
#define POOL_LONG_BYTES 4096

struct pool {
	struct table table;
	struct table longs; /* strings of POOL_LONG_BYTES and more, by their address */
	const char **item;  /* by id */
	size_t n, room;
	struct pool_chunk *chunk; /* the newest chunk, first of the list of chunks */
};

/* Returns 0, or -ENOMEM. */
int pool_init(struct pool *pool);
void pool_release(struct pool *pool);

/* Finds or adds the string that ends after @bytes bytes or at a NUL. Returns its id, or -ENOMEM. */
int pool_add(struct pool *pool, const char *text, size_t bytes);
/*
 * Like pool_add(), for text that ends at its NUL; NULL stands for "". If @text is a result of
 * pool_at(), a long string is found by its address alone.
 */
int pool_add_text(struct pool *pool, const char *text);

static inline const char *pool_at(const struct pool *pool, uint32_t id)
{
	return pool->item[id];
}

/* Returns the id of a string at the address that pool_at() returned for it. */
static inline uint32_t pool_id(const char *text)
{
	uint32_t id;

	memcpy(&id, text - sizeof(id), sizeof(id));
	return id;
}

/* Like pool_add(), but returns the address of the stored string; NULL: out of memory. */
static inline const char *pool_intern(struct pool *pool, const char *text, size_t bytes)
{
	int id = pool_add(pool, text, bytes);

	return id < 0 ? NULL : pool_at(pool, (uint32_t)id);
}

/* Like pool_add_text(), but returns the address of the stored string; NULL: out of memory. */
static inline const char *pool_intern_text(struct pool *pool, const char *text)
{
	int id = pool_add_text(pool, text);

	return id < 0 ? NULL : pool_at(pool, (uint32_t)id);
}

#endif
