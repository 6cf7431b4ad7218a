/* SPDX-License-Identifier: MIT */
/* Sums that stop at the end of their range instead of overflowing. */
#ifndef BASE_SUM_H
#define BASE_SUM_H

#include <stddef.h>
#include <stdint.h>

static inline void sum_add(int64_t *sum, int64_t value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = value < 0 ? INT64_MIN : INT64_MAX;
}

static inline void sum_add_all(int64_t *sum, const int64_t *value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sum_add(&sum[i], value[i]);
}

#endif
