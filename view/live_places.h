/* SPDX-License-Identifier: MIT */
/*
 * The functions and lines that the locations of a growing profile are in. A location is looked at
 * again when it gets names; numbers stay what they are.
 */
#ifndef VIEW_LIVE_PLACES_H
#define VIEW_LIVE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/pool.h"
#include "profile/profile.h"
#include "profile/table.h"

/* Strings are unique pointers, of the profile or of the pool. */
struct live_place {
	const char *function, *file, *object;
	uint32_t line;           /* of lines; of functions: where they begin, 0 unknown */
	uint32_t function_place; /* of lines: the function's number */
	uint32_t location;       /* one that is in it */
	bool unsampled;
};

struct live_frame {
	uint32_t function, line; /* numbers of places */
};

struct live_places {
	struct live_place *function, *line;
	size_t functions, lines, function_room, line_room;
	struct table function_table, line_table;
	struct pool pool;

	struct live_location {
		size_t first;           /* in frame[]; innermost first */
		uint32_t frames, lines; /* lines: that the profile told of it */
		bool is_call;           /* a system call's own frame */
	} * location;
	size_t locations, location_room;
	struct live_frame *frame;
	size_t frames, frame_room;
	uint64_t renamed; /* grows when a location known before got other frames */
};

int live_places_init(struct live_places *places);
void live_places_release(struct live_places *places);
/* -ENOMEM. */
int live_places_update(struct live_places *places, const struct profile *profile);

#endif
