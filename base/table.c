/* SPDX-License-Identifier: MIT */
#include "base/table.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/array.h"

#include "base/array.h"

enum { FIRST_SLOTS = 64 };

void table_release(struct table *table)
{
	free(table->slot);
	free(table->hash);
	*table = (struct table){0};
}

void table_clear(struct table *table)
{
	if (table->slots)
		memset(table->slot, 0, table->slots * sizeof(*table->slot));
	table->used = 0;
}

/* The stored bits of a hash. They determine the slot, so a table grows without its items. */
static uint32_t kept(uint64_t hash)
{
	return (uint32_t)(hash * UINT64_C(0xd6e8feb86659fd93) >> 32);
}

int table_find(const struct table *table, uint64_t hash, table_equal *equal, const void *items,
	const void *key)
{
	uint32_t wanted = kept(hash);

	if (!table->slots)
		return -ENOENT;
	for (size_t i = wanted & (table->slots - 1);; i = (i + 1) & (table->slots - 1)) {
		uint32_t index = table->slot[i] - 1;

		if (!table->slot[i])
			return -ENOENT;
		if (table->hash[index] == wanted && equal(items, index, key))
			return (int)index;
	}
}

static int enlarge(struct table *table)
{
	size_t slots = table->slots ? table->slots * 2 : FIRST_SLOTS;
	uint32_t *slot = calloc(slots, sizeof(*slot));

	if (!slot)
		return -ENOMEM;
	for (size_t i = 0; i < table->slots; i++) {
		size_t to;

		if (!table->slot[i])
			continue;
		to = table->hash[table->slot[i] - 1] & (slots - 1);
		while (slot[to])
			to = (to + 1) & (slots - 1);
		slot[to] = table->slot[i];
	}
	free(table->slot);
	table->slot = slot;
	table->slots = slots;
	return 0;
}

int table_add(struct table *table, uint64_t hash, uint32_t index)
{
	size_t i;

	if (index >= INT_MAX)
		return -ENOMEM;
	if (array_grow(&table->hash, &table->hashes, (size_t)index + 1) < 0)
		return -ENOMEM;
	/* At most two thirds full, so that a search is short and always ends. */
	if (table->used + 1 > table->slots / 3 * 2 && enlarge(table) < 0)
		return -ENOMEM;
	table->hash[index] = kept(hash);
	i = table->hash[index] & (table->slots - 1);
	while (table->slot[i])
		i = (i + 1) & (table->slots - 1);
	table->slot[i] = index + 1;
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

uint64_t table_hash_bytes(const void *data, size_t bytes)
{
	const uint8_t *p = data;
	uint64_t hash = bytes, word;

	for (; bytes >= sizeof(word); p += sizeof(word), bytes -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		hash = table_mix(hash, word);
	}
	word = 0;
	if (bytes)
		memcpy(&word, p, bytes);
	return table_mix(hash, word);
}
