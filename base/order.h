/* SPDX-License-Identifier: MIT */
/* Ascending order, for qsort() and bsearch(). */
#ifndef BASE_ORDER_H
#define BASE_ORDER_H

#include <stdint.h>

static inline int order_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

#endif
