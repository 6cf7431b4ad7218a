/* SPDX-License-Identifier: MIT */
/* The values of a profile that was taken with the wall clock. */
#ifndef VIEW_WALL_TYPES_H
#define VIEW_WALL_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

/* Indexes of values; SIZE_MAX: it has none of these. */
struct wall_types {
	size_t wall, queue, blocked;
};

/* False: it has neither wall time nor time in run queues. */
bool wall_types_find(const struct profile *profile, struct wall_types *ret_types);

/* One of @values, 0 if there is no such one. */
static inline int64_t wall_types_value(const int64_t *values, size_t index)
{
	return index == SIZE_MAX ? 0 : values[index];
}

/* How a kind of values is told: "of wall-clock time". NULL: it is not one of time. */
const char *wall_types_phrase(const char *type);

#endif
