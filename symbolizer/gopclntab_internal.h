/* SPDX-License-Identifier: MIT */
/* Shared by gopclntab.c, which reads the table, and gopclntab_open.c, which finds it. */
#ifndef SYMBOLIZER_GOPCLNTAB_INTERNAL_H
#define SYMBOLIZER_GOPCLNTAB_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "symbolizer/base/slice.h"
#include "symbolizer/gopclntab.h"

struct elfimage;
struct pool;

/*
 * GOPCLNTAB_PAIR_BYTES: size of an entry of the table of functions. GOPCLNTAB_NAME: index of the
 * field with the name's offset, in a function's record.
 */
enum { GOPCLNTAB_PAIR_BYTES = 8, GOPCLNTAB_NAME = 1 };

struct gopclntab {
	const struct elfimage *image;
	struct pool *strings;
	struct slice all;
	struct slice names, units, files, pcs, functions;
	uint64_t n, text, gofunc; /* number of functions; svmas of code and inlined calls */
	unsigned quantum;         /* unit of the distances in pc tables, in bytes */
	bool since_120;           /* Go 1.20 or later */
	uint32_t g_below;         /* gopclntab_g_below() */
};

/* Field @field of the function's record at @record; 0: outside the table. */
static inline uint32_t gopclntab_field(
	const struct gopclntab *table, uint64_t record, unsigned field)
{
	uint32_t value = 0;

	(void)slice_u32(table->functions, record + 4 * (uint64_t)field, &value);
	return value;
}

#endif
