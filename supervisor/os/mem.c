/* SPDX-License-Identifier: MIT */
#include "supervisor/os/mem.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/os/window.h"

void *mem_new(size_t n, size_t size)
{
	window_forbid("an allocation");
	return calloc(n, size);
}

int mem_grow(void **array, size_t *room, size_t n, size_t size)
{
	size_t more = *room + *room / 2;
	void *grown;

	window_forbid("an allocation");
	if (n <= *room)
		return 0;
	if (more < n)
		more = n;
	if (more < 16)
		more = 16;
	if (more > SIZE_MAX / size)
		return -ENOMEM;
	grown = realloc(*array, more * size);
	if (!grown)
		return -ENOMEM;
	memset((char *)grown + *room * size, 0, (more - *room) * size);
	*array = grown;
	*room = more;
	return 0;
}
