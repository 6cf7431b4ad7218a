/* SPDX-License-Identifier: MIT */
/*
 * A hash table that finds equal items in an array of the caller. It holds only the items' indexes
 * (0, 1, 2 …) and hashes. A single item cannot be removed.
 */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct table {
	struct table_slot {
		uint32_t item; /* index + 1; 0: free */
		uint32_t hash; /* of the item */
	} *slot;
	size_t slots; /* a power of two */
	size_t used;
};

void table_release(struct table *table);

/* Does @key describe the item at @index in @items? */
typedef bool table_equal(const void *items, uint32_t index, const void *key);

/* Returns the bits of a hash that are stored. They give the slot, also when the table grows. */
static inline uint32_t table_kept(uint64_t hash)
{
	return (uint32_t)(hash * UINT64_C(0xd6e8feb86659fd93) >> 32);
}

/* Returns the index of the equal item, or -ENOENT. Inline, so that @equal is inlined, too. */
static inline int table_find(const struct table *table, uint64_t hash, table_equal *equal,
	const void *items, const void *key)
{
	uint32_t wanted = table_kept(hash);

	if (!table->slots)
		return -ENOENT;
	for (size_t i = wanted & (table->slots - 1);; i = (i + 1) & (table->slots - 1)) {
		const struct table_slot *slot = &table->slot[i];

		if (!slot->item)
			return -ENOENT;
		if (slot->hash == wanted && equal(items, slot->item - 1, key))
			return (int)(slot->item - 1);
	}
}

/* Adds the new item at @index. 0; -ENOMEM: nothing has changed, memory or indexes ran out. */
int table_add(struct table *table, uint64_t hash, uint32_t index);

/* Removes all items, but keeps the memory for new ones. */
void table_clear(struct table *table);

/* Hashes @hash and @value. A XOR alone would be equal for many pairs of small numbers. */
static inline uint64_t table_mix(uint64_t hash, uint64_t value)
{
	hash = (hash * UINT64_C(0xff51afd7ed558ccd) ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ (hash >> 32);
}

/*
 * Hashes the bytes. @hash: what the hash begins with, as the hash of what stands before them, or
 * table_seed().
 */
uint64_t table_hash_bytes(uint64_t hash, const void *data, size_t bytes);

/*
 * Returns a random number, the same in all of the process. Hashes of what is in foreign files begin
 * with it: without it, a file could have any number of keys with equal hashes, and each look-up
 * would compare them all.
 */
uint64_t table_seed(void);

/*
 * Returns the index of the item that equals *@key. If *@items has none, appends *@key. Or returns
 * -ENOMEM. *@items has *@n items and room for *@room.
 */
#define table_intern(table, hash, equal, items, room, n, key)                              \
	__extension__({                                                                    \
		void *things_ = *(items);                                                  \
		const struct table_items of_ = {&things_, (room), (n), sizeof(**(items))}; \
		int index_ = table_take((table), (hash), (equal), &of_, (key));            \
		*(items) = things_;                                                        \
		index_;                                                                    \
	})

struct table_items {
	void **items;
	size_t *room, *n, size;
};

/* The function behind table_intern(). */
int table_take(struct table *table, uint64_t hash, table_equal *equal,
	const struct table_items *items, const void *key);

#endif
