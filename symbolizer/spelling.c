/* SPDX-License-Identifier: MIT */
#include "symbolizer/spelling.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbolizer/budget.h"
#include "symbolizer/demangle.h"
#include "symbolizer/strpool.h"

/* Some names of C++ have a few 10,000 bytes. */
enum { NAME_BYTES_MOST = 65536, NAME_BYTES_LEAST = 512 };

static struct spelling *slot_of(const struct spellings *spellings, const char *raw)
{
	uint64_t mixed = (uint64_t)(uintptr_t)raw * UINT64_C(0x9e3779b97f4a7c15);
	size_t at = (size_t)(mixed >> 20) & (spellings->capacity - 1);

	while (spellings->slots[at].raw && spellings->slots[at].raw != raw)
		at = (at + 1) & (spellings->capacity - 1);
	return &spellings->slots[at];
}

static int grow(struct spellings *spellings)
{
	struct spellings grown = {
		.n = spellings->n, .capacity = spellings->capacity ? spellings->capacity * 2 : 64};

	grown.slots = calloc(grown.capacity, sizeof(*grown.slots));
	if (!grown.slots)
		return -ENOMEM;
	for (size_t i = 0; i < spellings->capacity; i++)
		if (spellings->slots[i].raw)
			*slot_of(&grown, spellings->slots[i].raw) = spellings->slots[i];
	free(spellings->slots);
	*spellings = grown;
	return 0;
}

/*
 * Bytes that a name may take. Names can share their bytes in the file, each beginning one byte
 * behind the previous one.
 */
static size_t bytes_of(struct budget *budget, const char *raw)
{
	size_t bytes = strnlen(raw, NAME_BYTES_MOST);

	return bytes <= NAME_BYTES_LEAST || budget_take(budget, bytes) ? bytes : NAME_BYTES_LEAST;
}

int spelling_find(struct spellings *spellings, struct strpool *strings, struct budget *budget,
	const char *raw, struct spelling *ret_spelling)
{
	struct spelling *slot;
	struct spelling made = {.raw = raw};

	if (spellings->n * 2 >= spellings->capacity && grow(spellings))
		return -ENOMEM;
	slot = slot_of(spellings, raw);
	if (!slot->raw) {
		made.linked = strpool_intern(strings, raw, bytes_of(budget, raw));
		made.shown = made.linked ? demangle_name(strings, made.linked) : NULL;
		if (!made.shown)
			return -ENOMEM;
		*slot = made;
		spellings->n++;
	}
	*ret_spelling = *slot;
	return 0;
}

void spelling_release(struct spellings *spellings)
{
	free(spellings->slots);
	*spellings = (struct spellings){0};
}
