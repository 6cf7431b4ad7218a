/* SPDX-License-Identifier: MIT */
/* Growing arrays and replaceable texts, for the tables of this folder. */
#ifndef ANALYST_ARRAYS_H
#define ANALYST_ARRAYS_H

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * Makes *@array, of *@room elements of @size bytes, hold at least @n, growing by halves. 0, or
 * -ENOMEM and nothing has changed.
 */
static inline int arrays_grow(void **array, size_t *room, size_t n, size_t size)
{
	size_t more = *room + *room / 2 + 8;
	void *grown;

	if (n <= *room)
		return 0;
	if (more < n)
		more = n;
	grown = reallocarray(*array, more, size);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*room = more;
	return 0;
}

/* Replaces *@text, possibly NULL, by a copy of @with. 0 or -ENOMEM. */
static inline int arrays_replace(char **text, const char *with)
{
	char *copy = strdup(with);

	if (!copy)
		return -ENOMEM;
	free(*text);
	*text = copy;
	return 0;
}

#endif
