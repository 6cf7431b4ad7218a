/* SPDX-License-Identifier: MIT */
/* The stacks of the chosen samples, as frames, for exporters and reports. */
#ifndef VIEW_FRAMES_H
#define VIEW_FRAMES_H

#include <stdbool.h>

#include "view/filter.h"
#include "view/places.h"
#include "view/rows.h"

enum { FRAMES_NO_FUNCTION = UINT32_MAX };

struct frame {
	uint32_t place;    /* the frame's function, as an index in frames->places */
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
	struct rows sums;    /* sums over all samples; the list of rows is empty */
	struct frame *frame; /* of the last sample taken, leaf first */
	size_t n, room;
	uint32_t *seen; /* by place: @stamp of the last sample that contains the place */
	uint32_t stamp;
	char *title;
};

/*
 * Returns 0; -ENOMEM; or -EINVAL if a pattern of the options is no regular expression, or the
 * profile lacks the value type. With -EINVAL, *@ret_problem is a sentence, which the caller frees.
 */
int frames_init(struct frames *frames, const struct profile *profile,
	const struct report_options *given, char **ret_problem);
void frames_release(struct frames *frames);

/*
 * Sets the frames of the sample at @index. *@ret_weight is the sample's value of the exported type,
 * or 0 if the options exclude the sample. With the weight 0, there are no frames. A weight is
 * negative only if the profile is a difference of two profiles, made by another program. 0 or
 * -ENOMEM.
 */
int frames_take(struct frames *frames, size_t index, int64_t *ret_weight);
/*
 * Sets the frames of a sample, also if its value is 0. Returns 1; 0: the options exclude it;
 * -ENOMEM.
 */
int frames_take_stack(struct frames *frames, size_t index);

/*
 * Returns whether frame @i + 1 of the last sample taken counts as the caller of frame @i. Only the
 * innermost frame of a function counts as a caller. In the stack f > g > f > h, this is the second
 * f, so the calls are f > h and g > f; f > g is none. The self of a function and the values of the
 * calls that it makes then add up to its total, which counts each sample once. Call this for each
 * @i of a sample, in order from 0 (the leaf).
 */
bool frames_is_call(struct frames *frames, size_t i);

struct value_type frames_value_type(const struct frames *frames);
/* Returns "" if the file is unknown. */
const char *frames_file(const struct frames *frames, const struct frame *frame);

#endif
