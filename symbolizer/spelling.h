/* SPDX-License-Identifier: MIT */
#ifndef SYMBOLIZER_SPELLING_H
#define SYMBOLIZER_SPELLING_H

#include <stddef.h>

#include "base/table.h"

struct budget;
struct pool;

/* A name as linked and as displayed, both interned. */
struct spelling {
	const char *raw; /* the name in the file */
	const char *linked, *shown;
};

/* Demangling is slow and the same functions recur: each name is demangled once. */
struct spellings {
	struct table table; /* by the address of the raw name */
	struct spelling *item;
	size_t n, room;
};

/* Finds or adds a name. @raw must live as long as @spellings. An overlong name is cut. -ENOMEM. */
int spelling_find(struct spellings *spellings, struct pool *strings, struct budget *budget,
	const char *raw, struct spelling *ret_spelling);
void spelling_release(struct spellings *spellings);

#endif
