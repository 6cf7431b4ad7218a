/* SPDX-License-Identifier: MIT */
#include "view/pairs.h"

#include <stdlib.h>

static bool pair_equal(const void *items, uint32_t index, const void *key)
{
	const struct pair *a = (const struct pair *)items + index, *b = key;

	return a->a == b->a && a->b == b->b;
}

int pairs_add(struct pairs *pairs, uint64_t a, uint64_t b)
{
	const struct pair key = {a, b};
	uint64_t hash = table_mix(table_mix(a, 1), b);

	return table_intern(
		&pairs->table, hash, pair_equal, &pairs->pair, &pairs->room, &pairs->n, &key);
}

void pairs_release(struct pairs *pairs)
{
	table_release(&pairs->table);
	free(pairs->pair);
	*pairs = (struct pairs){0};
}
