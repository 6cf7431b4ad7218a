/* SPDX-License-Identifier: MIT */
#include "symbolizer/spelling.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/pool.h"
#include "symbolizer/base/budget.h"
#include "symbolizer/demangle.h"

/*
 * Names are cut at NAME_BYTES_MOST bytes; some names of C++ have a few 10,000. Names of up to
 * NAME_BYTES_LEAST bytes are not charged to the budget, so that they are kept in full even if the
 * file is over its budget. Longer ones are then cut at NAME_BYTES_LEAST bytes.
 */
enum { NAME_BYTES_MOST = 65536, NAME_BYTES_LEAST = 512 };

static bool raw_equal(const void *items, uint32_t index, const void *key)
{
	const struct spelling *a = (const struct spelling *)items + index, *b = key;

	return a->raw == b->raw;
}

/* Long names are charged, as names of a bad file can overlap, each 1 byte shorter than the last. */
static size_t bytes_of(struct budget *budget, const char *raw)
{
	size_t bytes = strnlen(raw, NAME_BYTES_MOST);

	return bytes <= NAME_BYTES_LEAST || budget_take(budget, bytes) ? bytes : NAME_BYTES_LEAST;
}

int spelling_find(struct spellings *spellings, struct pool *strings, struct budget *budget,
	const char *raw, struct spelling *ret_spelling)
{
	struct spelling made = {.raw = raw};
	uint64_t hash = table_mix(0, (uintptr_t)raw);
	int index = table_find(&spellings->table, hash, raw_equal, spellings->item, &made);

	if (index < 0) {
		made.linked = pool_intern(strings, raw, bytes_of(budget, raw));
		made.shown = made.linked ? demangle_name(strings, made.linked) : NULL;
		if (!made.shown)
			return -ENOMEM;
		index = table_intern(&spellings->table, hash, raw_equal, &spellings->item,
			&spellings->room, &spellings->n, &made);
	}
	if (index < 0)
		return index;
	*ret_spelling = spellings->item[index];
	return 0;
}

void spelling_release(struct spellings *spellings)
{
	table_release(&spellings->table);
	free(spellings->item);
	*spellings = (struct spellings){0};
}
