/* SPDX-License-Identifier: MIT */
#include "base/table.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/array.h"

enum { FIRST_SLOTS = 64 };

void table_release(struct table *table)
{
	free(table->slot);
	*table = (struct table){0};
}

void table_clear(struct table *table)
{
	if (table->slots)
		memset(table->slot, 0, table->slots * sizeof(*table->slot));
	table->used = 0;
}

static void put(struct table_slot *to, size_t slots, struct table_slot item)
{
	size_t i = item.hash & (slots - 1);

	while (to[i].item)
		i = (i + 1) & (slots - 1);
	to[i] = item;
}

static int enlarge(struct table *table)
{
	size_t slots = table->slots ? table->slots * 2 : FIRST_SLOTS;
	struct table_slot *slot = calloc(slots, sizeof(*slot));

	if (!slot)
		return -ENOMEM;
	for (size_t i = 0; i < table->slots; i++)
		if (table->slot[i].item)
			put(slot, slots, table->slot[i]);
	free(table->slot);
	table->slot = slot;
	table->slots = slots;
	return 0;
}

int table_add(struct table *table, uint64_t hash, uint32_t index)
{
	if (index >= INT_MAX)
		return -ENOMEM;
	/* The table stays at most two thirds full, so that a search is short and always ends. */
	if (table->used + 1 > table->slots / 3 * 2 && enlarge(table) < 0)
		return -ENOMEM;
	put(table->slot, table->slots, (struct table_slot){index + 1, table_kept(hash)});
	table->used++;
	return 0;
}

int table_take(struct table *table, uint64_t hash, table_equal *equal,
	const struct table_items *items, const void *key)
{
	int index = table_find(table, hash, equal, *items->items, key);

	if (index >= 0)
		return index;
	if (array_reserve(items->items, items->room, *items->n + 1, items->size) < 0 ||
		table_add(table, hash, (uint32_t)*items->n) < 0)
		return -ENOMEM;
	memcpy((char *)*items->items + *items->n * items->size, key, items->size);
	return (int)(*items->n)++;
}

uint64_t table_seed(void)
{
	uint64_t seed;

	/* The kernel gives each process 16 random bytes when it executes a program. */
	memcpy(&seed, (const void *)getauxval(AT_RANDOM), sizeof(seed));
	return seed;
}

uint64_t table_hash_bytes(uint64_t hash, const void *data, size_t bytes)
{
	const uint8_t *p = data;
	uint64_t word;

	hash += bytes;
	for (; bytes >= sizeof(word); p += sizeof(word), bytes -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		hash = table_mix(hash, word);
	}
	word = 0;
	if (bytes)
		memcpy(&word, p, bytes);
	return table_mix(hash, word);
}
