/* SPDX-License-Identifier: MIT */
/* The value types of a profile of wall-clock time: all time, run queue time and blocked time. */
#ifndef VIEW_WALL_TYPES_H
#define VIEW_WALL_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

/* Indexes of value types; SIZE_MAX: the profile lacks the type. */
struct wall_types {
	size_t wall, queue, blocked;
};

/* Returns false if the profile has neither wall-clock time nor run queue time. */
bool wall_types_find(const struct profile *profile, struct wall_types *ret_types);

/* Returns 0 if @index is SIZE_MAX, for a type that the profile lacks. */
static inline int64_t wall_types_value(const int64_t *values, size_t index)
{
	return index == SIZE_MAX ? 0 : values[index];
}

/* Returns, for example, "wall-clock time"; NULL: @type is not a time. */
const char *wall_types_phrase(const char *type);

#endif
