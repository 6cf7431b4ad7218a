/* SPDX-License-Identifier: MIT */
/* Tables of regions, and the counter of a program counter. */
#ifndef TESTS_REGION_FIXTURE_H
#define TESTS_REGION_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "supervisor/calls/region.h"

#define OFF  UINT64_C(0x400000)
#define NONE UINT64_MAX

static inline struct region_table *table(enum call_dialect dialect, unsigned element,
	const struct call_region *regions, uint32_t count)
{
	struct region_table *t = NULL;

	assert_int_equal(region_table_new(dialect, 0, element, regions, count, &t), 0);
	return t;
}

/* Returns the index of @pc's counter, or NONE. @ret_region may be NULL. */
static inline uint64_t at(const struct region_table *t, uint64_t pc, uint32_t *ret_region)
{
	struct region_hit hit;

	if (!region_look_up(t, NULL, pc, &hit))
		return NONE;
	assert_int_equal(hit.address, t->region[hit.region].base + hit.index * t->element);
	if (ret_region)
		*ret_region = hit.region;
	return hit.index;
}

/* Returns the index of the counter of OFF + @d in a table of one region. */
static inline uint64_t one(
	enum call_dialect dialect, unsigned e, uint32_t scale, uint64_t bytes, uint64_t d)
{
	struct call_region r = {.base = 0x10000, .bytes = bytes, .offset = OFF, .scale = scale};
	struct region_table *t = table(dialect, e, &r, 1);
	uint64_t index = at(t, OFF + d, NULL);

	region_table_unref(t);
	return index;
}

#endif
