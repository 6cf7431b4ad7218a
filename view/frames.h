/* SPDX-License-Identifier: MIT */
/*
 * What exporters share: the stacks of the samples that the options choose, as frames, and which
 * frames are calls.
 */
#ifndef VIEW_FRAMES_H
#define VIEW_FRAMES_H

#include <stdbool.h>

#include "view/filter.h"
#include "view/places.h"
#include "view/rows.h"

enum { FRAMES_NO_FUNCTION = UINT32_MAX };

struct frame {
	uint32_t place;    /* index in frames->places */
	uint32_t location; /* index in the profile */
	uint32_t function; /* index in the profile, or FRAMES_NO_FUNCTION */
	uint32_t line;     /* 0 unknown */
	uint32_t inlined;  /* depth of inlining at its address; 0: not inlined */
};

struct frames {
	const struct profile *profile;
	struct report_options options;
	struct places places;
	struct filter filter;
	struct rows sums;    /* the sums that rows_sum_up() computes; without rows */
	struct frame *frame; /* frames of the last sample taken, leaf first */
	size_t n, room;
	uint32_t *seen; /* by place: the stamp of the last sample that contains it */
	uint32_t stamp;
	char *title; /* what was profiled, for display */
};

/*
 * Collects the places and sums. 0, -ENOMEM, or -EINVAL with a sentence in @ret_problem, which the
 * caller frees (see filter_init()).
 */
int frames_init(struct frames *frames, const struct profile *profile,
	const struct report_options *given, char **ret_problem);
void frames_release(struct frames *frames);

/*
 * Takes the sample at @index: sets its frames, and *@ret_weight to its value of the exported type.
 * The weight is 0 if the options exclude the sample, and negative only if the file is a difference
 * of two profiles, as other programs write it. Returns 0 or -ENOMEM.
 */
int frames_take(struct frames *frames, size_t index, int64_t *ret_weight);
/* Takes a sample whatever its weight. 1: taken; 0: excluded by the options; or -ENOMEM. */
int frames_take_stack(struct frames *frames, size_t index);

/*
 * Is frame @i + 1 of the last stack taken the innermost of its function? Then the function calls
 * frame @i. Only the innermost frame counts as a caller: the stack f > g > f > h has the calls
 * g > f and f > h. Therefore a function's self and the values of its calls add up to its total,
 * which counts each sample once. Call it once per sample for each @i, in order from 0 (the leaf).
 */
bool frames_is_call(struct frames *frames, size_t i);

/* Returns the exported value type. */
struct value_type frames_value_type(const struct frames *frames);
/* Returns the source file of a frame's function; "" unknown. */
const char *frames_file(const struct frames *frames, const struct frame *frame);

#endif
