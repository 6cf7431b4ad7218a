/* SPDX-License-Identifier: MIT */
/* Shared by the files that make profiles from parts of others: split.c and timeline_span.c. */
#ifndef PROFILE_SPLITTING_H
#define PROFILE_SPLITTING_H

#include "profile/model.h"

/*
 * Items of @from are copied when first needed; the arrays hold their indexes in @into, -1: not
 * copied.
 */
struct splitting {
	struct profile *into;
	const struct profile *from;
	int *mapping, *function, *location, *task, *sample;
	struct location_line *line;
	uint32_t *stack;
	size_t line_room, stack_room;
};

/* Begins a profile with command, notes, value types, time and period of @from. -ENOMEM. */
int splitting_begin(struct splitting *s, const struct profile *from);
/* Copies the sample at @index, with @values instead of its own. */
int splitting_sample(struct splitting *s, size_t index, const int64_t *values);
/* Copies the instants of the copied samples from @from_ns to before @to_ns. */
int splitting_instants(struct splitting *s, uint64_t from_ns, uint64_t to_ns);
/* @error: the result so far; after a failure the new profile is freed. Returns @error. */
int splitting_end(struct splitting *s, int error, struct profile **ret_profile);

#endif
