/* SPDX-License-Identifier: MIT */
/* The values of a profile that was taken with the wall clock. */
#ifndef VIEW_WALL_TYPES_H
#define VIEW_WALL_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

/* Indexes of value types; SIZE_MAX: none. */
struct wall_types {
	size_t wall, queue, blocked;
};

/* Finds the types. False: neither wall-clock time nor run queue time. */
bool wall_types_find(const struct profile *profile, struct wall_types *ret_types);

/* The value with this index, 0 if it does not exist. */
static inline int64_t wall_types_value(const int64_t *values, size_t index)
{
	return index == SIZE_MAX ? 0 : values[index];
}

/* The phrase for a value type: "of wall-clock time". NULL: not a time. */
const char *wall_types_phrase(const char *type);

#endif
