/* SPDX-License-Identifier: MIT */
/* Copies items from one profile to another, for merge.c, split.c and timeline_span.c. */
#ifndef PROFILE_PROFILE_COPIER_H
#define PROFILE_PROFILE_COPIER_H

#include "profile/model.h"

/*
 * Copies items from @from to @into when they are first needed. An array of int has the index in
 * @into of each item of @from; -1: not copied yet.
 */
struct profile_copier {
	struct profile *into;
	const struct profile *from;
	int *mapping, *function, *location, *task, *sample;
	struct location_line *line;
	uint32_t *stack;
	size_t line_room, stack_room;
};

/* Borrows both profiles. 0 or -ENOMEM; call profile_copier_release() in both cases. */
int profile_copier_init(struct profile_copier *s, struct profile *into, const struct profile *from);
void profile_copier_release(struct profile_copier *s);
/* Each copies an item and what the item refers to. Returns the index in @into, or -errno. */
int profile_copier_mapping(struct profile_copier *s, uint32_t index);
int profile_copier_function(struct profile_copier *s, uint32_t index);
int profile_copier_location(struct profile_copier *s, uint32_t index);
int profile_copier_task(struct profile_copier *s, uint32_t index);
/* Copies the sample at @index, with @values instead of its own. */
int profile_copier_sample(struct profile_copier *s, size_t index, const int64_t *values);
/* Copies the instants of the copied samples from @from_ns to before @to_ns. */
int profile_copier_instants(struct profile_copier *s, uint64_t from_ns, uint64_t to_ns);

/* Creates a profile with command, notes, value types, time and period of @from (split.c). */
int profile_copier_begin(struct profile_copier *s, const struct profile *from);
/*
 * Releases @s. If @error, the result so far, is negative, frees the new profile and returns @error.
 * Otherwise sets *@ret_profile, which the caller frees, and returns 0.
 */
int profile_copier_end(struct profile_copier *s, int error, struct profile **ret_profile);

#endif
