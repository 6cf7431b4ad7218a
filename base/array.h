/* SPDX-License-Identifier: MIT */
/* Growing arrays (pointer, room, number of elements), and binary search in sorted ones. */
#ifndef BASE_ARRAY_H
#define BASE_ARRAY_H

#include <stddef.h>

/*
 * Makes room for @n elements in *@array; *@room is the number of elements it has room for. The
 * array grows by at least half, and may move. Returns 0; -ENOMEM: nothing has changed.
 */
#define array_grow(array, room, n)                                                    \
	__extension__({                                                               \
		void *items_ = *(array);                                              \
		int result_ = array_reserve(&items_, (room), (n), sizeof(**(array))); \
		*(array) = items_;                                                    \
		result_;                                                              \
	})

/* Appends an element to *@array, which has *@n elements. Returns 0; -ENOMEM: nothing changed. */
#define array_add(array, room, n, ...)                              \
	__extension__({                                             \
		int added_ = array_grow((array), (room), *(n) + 1); \
		if (added_ == 0)                                    \
			(*(array))[(*(n))++] = __VA_ARGS__;         \
		added_;                                             \
	})

/*
 * Returns the first index in [@from, @end) for which the expression @before is false, or @end if
 * there is none. @before uses @i as index. @before is true up to some index, then false.
 */
#define array_bisect(i, from, end, before)                    \
	__extension__({                                       \
		size_t low_ = (from), high_ = (end);          \
		while (low_ < high_) {                        \
			size_t i = low_ + (high_ - low_) / 2; \
			if (before)                           \
				low_ = i + 1;                 \
			else                                  \
				high_ = i;                    \
		}                                             \
		low_;                                         \
	})

/* The function behind array_grow(), for elements of @size bytes. */
int array_reserve(void **array, size_t *room, size_t n, size_t size);

#endif
