/* SPDX-License-Identifier: MIT */
#include "base/array.h"

#include <errno.h>
#include <stdlib.h>

int array_reserve(void **array, size_t *room, size_t n, size_t size)
{
	size_t more = *room + *room / 2 + 16;
	void *moved;

	if (n <= *room && *array)
		return 0;
	if (more < n)
		more = n;
	moved = reallocarray(*array, more, size);
	if (!moved)
		return -ENOMEM;
	*array = moved;
	*room = more;
	return 0;
}
