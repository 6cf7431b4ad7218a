/* SPDX-License-Identifier: MIT */
/*
 * A hash table of indexes into an array of the caller's: it finds equal items, and stores only
 * their hashes. Items are numbered 0, 1, 2 … and never removed. Also the hash function and the
 * growing of arrays, for all tables of profile/ and view/.
 */
#ifndef PROFILE_TABLE_H
#define PROFILE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct table {
	uint32_t *slot; /* index + 1, 0: free; the number of slots is a power of two */
	size_t slots;
	size_t used;
	uint32_t *hash; /* by index */
	size_t hashes;
};

void table_release(struct table *table);

/* Is the item at @index the one that @key describes? */
typedef bool table_equal(const void *things, uint32_t index, const void *key);

/* The index of the equal item, or -ENOENT. */
int table_find(const struct table *table, uint64_t hash, table_equal *equal, const void *things,
	const void *key);

/* Records that the item at @index, which is not in the table yet, has @hash. -ENOMEM. */
int table_add(struct table *table, uint64_t hash, uint32_t index);

/* Removes all items, keeps the memory. */
void table_clear(struct table *table);

static inline uint64_t table_mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ (hash >> 32);
}

uint64_t table_hash_bytes(const void *data, size_t bytes);

/*
 * Returns @array with room for @need elements of @size bytes, possibly moved (*@room: the
 * capacity). NULL: out of memory; @array is unchanged.
 */
static inline void *table_grow(void *array, size_t *room, size_t need, size_t size)
{
	size_t more = *room + *room / 2 + 16;
	void *moved;

	if (need <= *room)
		return array;
	if (more < need)
		more = need;
	moved = reallocarray(array, more, size);
	if (moved)
		*room = more;
	return moved;
}

#endif
