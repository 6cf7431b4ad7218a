/* SPDX-License-Identifier: MIT */
/* The stacks of the chosen samples, as frames, for exporters. */
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
	uint32_t line;     /* 0: unknown */
	uint32_t inlined;  /* depth of inlining; 0: not inlined */
};

struct frames {
	const struct profile *profile;
	struct report_options options;
	struct places places;
	struct filter filter;
	struct rows sums;    /* what rows_sum_up() sets; no rows */
	struct frame *frame; /* of the last sample taken, leaf first */
	size_t n, room;
	uint32_t *seen; /* by place: the stamp of the last sample that contains it */
	uint32_t stamp;
	char *title;
};

/* 0, -ENOMEM, or -EINVAL with a sentence in @ret_problem, as of filter_init(). */
int frames_init(struct frames *frames, const struct profile *profile,
	const struct report_options *given, char **ret_problem);
void frames_release(struct frames *frames);

/*
 * Sets the frames of the sample at @index, and *@ret_weight to its value of the exported type: 0 if
 * the options exclude the sample; negative only in a difference of two profiles that another
 * program wrote. 0 or -ENOMEM.
 */
int frames_take(struct frames *frames, size_t index, int64_t *ret_weight);
/* Sets the frames of a sample of any weight. Returns 1, 0 if the options exclude it, or -ENOMEM. */
int frames_take_stack(struct frames *frames, size_t index);

/*
 * Is frame @i + 1 of the last stack taken the innermost frame of its function? Only the innermost
 * frame counts as a caller: the stack f > g > f > h has the calls g > f and f > h. So a function's
 * self and the values of its calls add up to its total, which counts each sample once. Call it for
 * each @i of a sample, in order from 0 (the leaf).
 */
bool frames_is_call(struct frames *frames, size_t i);

struct value_type frames_value_type(const struct frames *frames);
/* Returns "" if the file is unknown. */
const char *frames_file(const struct frames *frames, const struct frame *frame);

#endif
