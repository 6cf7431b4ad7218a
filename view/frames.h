/* SPDX-License-Identifier: MIT */
/*
 * The stacks of the samples that the options choose, frame by frame, and other common parts of
 * exporters.
 */
#ifndef VIEW_FRAMES_H
#define VIEW_FRAMES_H

#include <stdbool.h>

#include "view/filter.h"
#include "view/places.h"
#include "view/rows.h"

enum { FRAMES_NO_FUNCTION = UINT32_MAX };

struct frame {
	uint32_t place;    /* of frames->places */
	uint32_t location; /* of the profile */
	uint32_t function; /* of the profile, or FRAMES_NO_FUNCTION */
	uint32_t line;     /* 0 unknown */
	uint32_t inlined;  /* depth of inlining at its address; 0: not inlined */
};

struct frames {
	const struct profile *profile;
	struct report_options options;
	struct places places;
	struct filter filter;
	struct rows sums;    /* sums over the samples, without rows */
	struct frame *frame; /* frames of the last sample taken, leaf first */
	size_t n, room;
	uint32_t *seen; /* by place: the stamp of the last sample that contains it */
	uint32_t stamp;
	char *title; /* what was profiled, for display */
};

/* Collects the places and sums. Results and @ret_problem as those of filter_init(). */
int frames_init(struct frames *frames, const struct profile *profile,
	const struct report_options *given, char **ret_problem);
void frames_release(struct frames *frames);

/*
 * Takes the sample at @index: its stack, and its weight by the exported value. 0: the options
 * exclude it, or its weight is 0 (or negative, in a difference made by another program). -ENOMEM.
 */
int frames_take(struct frames *frames, size_t index, int64_t *ret_weight);
/* Takes a sample whatever its weight. 1: taken; 0: excluded by the options. -ENOMEM. */
int frames_take_stack(struct frames *frames, size_t index);

/*
 * The calls in the last stack taken. Each function calls once, from its innermost frame: f > g > f
 * > h is g > f and f > h. So a function's self and the values of its calls add up to its total,
 * which has every sample once. Ask once per sample for each @i from 0 (the leaf) on: true if frame
 * @i + 1 is the innermost of its function, which then calls frame @i.
 */
bool frames_is_call(struct frames *frames, size_t i);

/* The value type that is exported. */
struct value_type frames_value_type(const struct frames *frames);
/* The source file of a frame's function; "" unknown. */
const char *frames_file(const struct frames *frames, const struct frame *frame);

#endif
