/* SPDX-License-Identifier: MIT */
/* Copies items from one profile to another, for merge.c, split.c and timeline_span.c. */
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

/*
 * Prepares for copying from @from to @into, which the caller keeps. 0 or -ENOMEM; even then
 * profile_copier_release() must be called.
 */
int profile_copier_init(struct profile_copier *s, struct profile *into, const struct profile *from);
void profile_copier_release(struct profile_copier *s);
/*
 * Each copies an item, with the items that it refers to, and returns its index in @into; -errno as
 * from the functions that add items.
 */
int profile_copier_mapping(struct profile_copier *s, uint32_t index);
int profile_copier_function(struct profile_copier *s, uint32_t index);
int profile_copier_location(struct profile_copier *s, uint32_t index);
int profile_copier_task(struct profile_copier *s, uint32_t index);
/* Copies the sample at @index, with @values instead of its own. */
int profile_copier_sample(struct profile_copier *s, size_t index, const int64_t *values);
/* Copies the instants of the copied samples from @from_ns to before @to_ns. */
int profile_copier_instants(struct profile_copier *s, uint64_t from_ns, uint64_t to_ns);

/* split.c: */
/* Begins a profile with command, notes, value types, time and period of @from. -ENOMEM. */
int profile_copier_begin(struct profile_copier *s, const struct profile *from);
/*
 * Ends the copy. @error: the result so far; after a failure the new profile is freed. Returns
 * @error.
 */
int profile_copier_end(struct profile_copier *s, int error, struct profile **ret_profile);

#endif
