/* SPDX-License-Identifier: MIT */
/*
 * The stacks of the samples that the options choose, frame by frame, and what else exporters have
 * in common.
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
	uint32_t inlined;  /* how deep at its address: 0 is the real function */
};

struct frames {
	const struct profile *profile;
	struct report_options options;
	struct places places;
	struct filter filter;
	struct rows sums;    /* all but rows */
	struct frame *frame; /* of the sample taken last, leaf first */
	size_t n, room;
	uint32_t *seen; /* by place: the stamp of the sample that it was last in */
	uint32_t stamp;
	char *title; /* what was profiled, for people */
};

/* Results and @ret_problem: as report->print. */
int frames_init(struct frames *frames, const struct profile *profile,
	const struct report_options *given, char **ret_problem);
void frames_release(struct frames *frames);

/*
 * Takes the sample at @index: its stack, and its weight by the value that the export is about. 0:
 * the options leave it out, or it weighs nothing (less, in a difference that another program made).
 * -ENOMEM.
 */
int frames_take(struct frames *frames, size_t index, int64_t *ret_weight);
/* The same, whatever it weighs. 1: taken; 0: the options leave it out. -ENOMEM. */
int frames_take_stack(struct frames *frames, size_t index);

/*
 * Calls of the stack taken last. Each function calls once, where it is innermost: f > g > f > h is
 * g > f and f > h. So what a function took itself and what its calls took add up to its total,
 * which has every sample once. To be asked for each @i from 0 (the leaf) on, once a sample: true if
 * frame
 * @i + 1 is the innermost of its function, which then calls frame @i.
 */
bool frames_is_call(struct frames *frames, size_t i);

/* Value type that the export is about. */
struct value_type frames_value_type(const struct frames *frames);
/* The source file of a frame's function; "" unknown. */
const char *frames_file(const struct frames *frames, const struct frame *frame);

#endif
