/* SPDX-License-Identifier: MIT */
/* Shared by the files that make profiles from parts of others: split.c and timeline_span.c. */
#ifndef PROFILE_PROFILE_COPIER_H
#define PROFILE_PROFILE_COPIER_H

#include "profile/model.h"

/*
 * Items of @from are copied when first needed; the arrays hold their indexes in @into, -1: not
 * copied.
 */
struct profile_copier {
	struct profile *into;
	const struct profile *from;
	int *mapping, *function, *location, *task, *sample;
	struct location_line *line;
	uint32_t *stack;
	size_t line_room, stack_room;
};

/* Begins a profile with command, notes, value types, time and period of @from. -ENOMEM. */
int profile_copier_begin(struct profile_copier *s, const struct profile *from);
/* Copies the sample at @index, with @values instead of its own. */
int profile_copier_sample(struct profile_copier *s, size_t index, const int64_t *values);
/* Copies the instants of the copied samples from @from_ns to before @to_ns. */
int profile_copier_instants(struct profile_copier *s, uint64_t from_ns, uint64_t to_ns);
/*
 * Ends the copy. @error: the result so far; after a failure the new profile is freed. Returns
 * @error.
 */
int profile_copier_end(struct profile_copier *s, int error, struct profile **ret_profile);

#endif
