/* SPDX-License-Identifier: MIT */
/* The inside of profiles made of parts of others: split.c and timeline_span.c. */
#ifndef PROFILE_SPLITTING_H
#define PROFILE_SPLITTING_H

#include "profile/model.h"

/* What of @from is needed is copied when it is first met; its index in @into, -1 not yet. */
struct splitting {
	struct profile *into;
	const struct profile *from;
	int *mapping, *function, *location, *task, *sample;
	struct location_line *line;
	uint32_t *stack;
	size_t line_room, stack_room;
};

/* A new profile with command, notes, kinds of values, time and period of @from. -ENOMEM. */
int splitting_begin(struct splitting *s, const struct profile *from);
/* Copies the sample at @index, with @values instead of its own. */
int splitting_sample(struct splitting *s, size_t index, const int64_t *values);
/* What of the instants of the samples that were copied lies from @from_ns to before @to_ns. */
int splitting_instants(struct splitting *s, uint64_t from_ns, uint64_t to_ns);
/* @error is what all came to; after a failure the new profile is freed. Returns @error. */
int splitting_end(struct splitting *s, int error, struct profile **ret_profile);

#endif
