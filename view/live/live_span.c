/* SPDX-License-Identifier: MIT */
/* Computes the weight of each stack in the chosen span of time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "profile/timeline.h"
#include "view/live/live_internal.h"

void live_span_release(struct live_span *span)
{
	free(span->weight);
	free(span->cell);
	*span = (struct live_span){0};
}

/*
 * Returns the part of @weight_ns in the value type shown: 0 if the instant's state is of another
 * type.
 */
static double weight_of(const struct live *live, const struct instant *instant, uint64_t weight_ns)
{
	static const char *const states[TIMELINE_STATES] = {"cpu", "runqueue", "blocked"};
	const char *type = profile_value_type(live->profile, live->value).type;
	bool has_factor =
		instant->state == TIMELINE_RUNNING && instant->sample < live->weights.factors;
	double factor = has_factor ? (double)live->weights.factor[instant->sample] : 1;

	if (strcmp(type, "wall") != 0 && strcmp(type, states[instant->state]) != 0)
		return 0;
	return factor * (double)weight_ns;
}

int live_span_update(struct live *live)
{
	struct live_span *span = &live->span;
	uint64_t began = profile_realtime_ns(live->profile);
	size_t stacks = profile_samples(live->profile);
	struct timeline_cursor cursor;
	struct instant instant;
	int r;

	if (!span->chosen || span->value == live->value)
		return 0;
	if (array_grow(&span->weight, &span->weight_room, stacks + 1) < 0)
		return -ENOMEM;
	span->stacks = stacks;
	span->value = live->value;
	span->sum = span->squares = 0;
	memset(span->weight, 0, stacks * sizeof(*span->weight));
	r = timeline_begin(&cursor, live->profile);
	while (r >= 0 && timeline_next(&cursor, &instant)) {
		uint64_t part = instant_before(&instant, began + span->to_ns) -
			instant_before(&instant, began + span->from_ns);
		double of_it = part ? weight_of(live, &instant, part) : 0;

		span->weight[instant.sample] += of_it;
		span->sum += of_it;
		span->squares += of_it * of_it;
	}
	timeline_end(&cursor);
	return r;
}

void live_span_describe(const struct live *live, char *to, size_t room)
{
	const struct live_span *span = &live->span;
	char from[TEXT_UNIT_BYTES], until[TEXT_UNIT_BYTES];

	text_format_ns(span->from_ns, from);
	text_format_ns(span->to_ns, until);
	(void)snprintf(to, room, "%s to %s", from, until);
}
