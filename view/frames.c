/* SPDX-License-Identifier: MIT */
#include "view/frames.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "view/options.h"
#include "view/progress.h"
#include "view/title.h"

int frames_init(struct frames *frames, const struct profile *profile,
	const struct report_options *given, char **ret_problem)
{
	int error;

	*frames = (struct frames){.profile = profile, .options = options_take(given)};
	frames->title = title_of(profile, frames->options.files, false);
	error = frames->title
		? places_init(&frames->places, profile, &frames->options, ROWS_BY_FUNCTION)
		: -ENOMEM;
	if (!error)
		error = filter_init(
			&frames->filter, profile, &frames->places, &frames->options, ret_problem);
	if (!error) {
		frames->seen = calloc(frames->places.n + 1, sizeof(*frames->seen));
		error = frames->seen ? 0 : -ENOMEM;
	}
	if (error < 0) {
		frames_release(frames);
		return error;
	}
	rows_sum_up(profile, &frames->places, &frames->filter, &frames->sums);
	return 0;
}

void frames_release(struct frames *frames)
{
	filter_release(&frames->filter);
	places_release(&frames->places);
	free(frames->frame);
	free(frames->seen);
	free(frames->title);
	*frames = (struct frames){0};
}

static int append_location(struct frames *frames, uint32_t index)
{
	struct location location = profile_location(frames->profile, index);
	size_t n;
	const uint32_t *of = places_of(&frames->places, index, &n);

	if (array_grow(&frames->frame, &frames->room, frames->n + n) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		/*
		 * With no_inline, n is 1. The frame then has the last entry of location.line:
		 * entries are ordered from the innermost inlined function to the function that
		 * contains all of them.
		 */
		const struct location_line *line =
			location.lines ? &location.line[location.lines - n + i] : NULL;

		frames->frame[frames->n++] = (struct frame){
			.place = of[i],
			.location = index,
			.function = line ? line->function : FRAMES_NO_FUNCTION,
			.line = line ? line->line : 0,
			.inlined = (uint32_t)(n - 1 - i),
		};
	}
	return 0;
}

int frames_take_stack(struct frames *frames, size_t index)
{
	struct sample sample = profile_sample(frames->profile, index);
	int error = 0;

	frames->n = 0;
	if (!filter_takes(&frames->filter, frames->profile, &frames->places, &sample))
		return 0;
	for (size_t i = 0; i < sample.n && !error; i++)
		error = append_location(frames, sample.location[i]);
	return error ? error : 1;
}

int frames_take(struct frames *frames, size_t index, int64_t *ret_weight)
{
	struct sample sample = profile_sample(frames->profile, index);
	int64_t weight = sample.value[frames->sums.weight];
	int r;

	progress_show(&frames->options, "export", index, profile_samples(frames->profile));
	frames->n = 0;
	*ret_weight = 0;
	if (!weight)
		return 0;
	r = frames_take_stack(frames, index);
	if (r > 0)
		*ret_weight = weight;
	return r < 0 ? r : 0;
}

bool frames_is_call(struct frames *frames, size_t i)
{
	uint32_t *seen = frames->seen;

	if (!i && !++frames->stamp) {
		memset(seen, 0, frames->places.n * sizeof(*seen));
		frames->stamp = 1;
	}
	seen[frames->frame[i].place] = frames->stamp;
	return i + 1 < frames->n && seen[frames->frame[i + 1].place] != frames->stamp;
}

struct value_type frames_value_type(const struct frames *frames)
{
	return profile_value_type(frames->profile, frames->sums.weight);
}

const char *frames_file(const struct frames *frames, const struct frame *frame)
{
	if (frame->function == FRAMES_NO_FUNCTION)
		return "";
	return profile_function(frames->profile, frame->function).file;
}
