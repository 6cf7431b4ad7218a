/* SPDX-License-Identifier: MIT */
/* Shared by gopclntab.c, which reads the table, and gopclntab_open.c, which finds it. */
#ifndef SYMBOLIZER_GOPCLNTAB_INTERNAL_H
#define SYMBOLIZER_GOPCLNTAB_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "symbolizer/gopclntab.h"

struct elfimage;
struct pool;

/* Bytes of an entry of the table of functions; the index of the name in a function's record. */
enum { GOPCLNTAB_PAIR_BYTES = 8, GOPCLNTAB_NAME = 1 };

struct gopclntab_part {
	const uint8_t *data;
	uint64_t bytes;
};

struct gopclntab {
	const struct elfimage *image;
	struct pool *strings;
	struct gopclntab_part all;
	struct gopclntab_part names, units, files, pcs, functions;
	uint64_t n, text, gofunc; /* functions; svmas of the code and of the inlined calls */
	unsigned quantum;         /* unit of the distances in pc tables, in bytes */
	bool since_120;           /* Go 1.20 or later */
	uint32_t g_below;         /* gopclntab_g_below() */
};

static inline bool gopclntab_u32(struct gopclntab_part part, uint64_t at, uint32_t *ret_value)
{
	if (part.bytes < sizeof(*ret_value) || at > part.bytes - sizeof(*ret_value))
		return false;
	memcpy(ret_value, part.data + at, sizeof(*ret_value));
	return true;
}

static inline bool gopclntab_u64(struct gopclntab_part part, uint64_t at, uint64_t *ret_value)
{
	if (part.bytes < sizeof(*ret_value) || at > part.bytes - sizeof(*ret_value))
		return false;
	memcpy(ret_value, part.data + at, sizeof(*ret_value));
	return true;
}

/* A string that ends within the part; NULL: none. */
static inline const char *gopclntab_string(struct gopclntab_part part, uint64_t at)
{
	if (at >= part.bytes || !memchr(part.data + at, 0, part.bytes - at))
		return NULL;
	return (const char *)part.data + at;
}

/* The field with index @field of the function's record at @record; 0: it is outside the table. */
static inline uint32_t gopclntab_field(
	const struct gopclntab *table, uint64_t record, unsigned field)
{
	uint32_t value = 0;

	(void)gopclntab_u32(table->functions, record + 4 * (uint64_t)field, &value);
	return value;
}

#endif
