/* SPDX-License-Identifier: MIT */
/*
 * The functions and lines of the locations of a growing profile. A location is examined again when
 * it gets names; indexes are stable.
 */
#ifndef VIEW_LIVE_LIVE_PLACES_H
#define VIEW_LIVE_LIVE_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pool.h"
#include "base/table.h"
#include "profile/profile.h"

/* Strings are unique pointers, of the profile or of the pool. */
struct live_place {
	const char *function, *file, *object;
	uint32_t line;           /* of lines; of functions: their first line, 0 unknown */
	uint32_t function_place; /* of lines: the function's index */
	uint32_t location;       /* some location in it */
	bool unsampled;
};

struct live_frame {
	uint32_t function, line; /* places of the function and of the line */
};

struct live_places {
	struct live_place *function, *line;
	size_t functions, lines, function_room, line_room;
	struct table function_table, line_table;
	struct pool pool;

	struct live_location {
		size_t first;           /* its first frame in frame[]; innermost first */
		uint32_t frames, lines; /* lines: number of lines that the profile had for it */
		bool is_call;           /* the frame of a system call */
	} * location;
	size_t locations, location_room;
	struct live_frame *frame;
	size_t frames, frame_room;
	uint64_t renamed; /* incremented when a known location gets other frames */
};

int live_places_init(struct live_places *places);
void live_places_release(struct live_places *places);
/* Takes new locations, and names that have come. -ENOMEM. */
int live_places_update(struct live_places *places, const struct profile *profile);

#endif
