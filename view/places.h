/* SPDX-License-Identifier: MIT */
/*
 * The places (functions, or source lines) of a profile, each once, and for each frame of each
 * location the index of its place. A location has a frame per inlined function. It is examined
 * again when it gets names.
 */
#ifndef VIEW_PLACES_H
#define VIEW_PLACES_H

#include "base/pool.h"
#include "base/table.h"
#include "profile/profile.h"
#include "view/options.h"
#include "view/rows.h"

/* Equal strings are equal pointers. They belong to the profile, or to the pool. */
struct place {
	const char *function, *file, *object;
	uint32_t line; /* places by function: the function's first line; 0 unknown */
	/* places by line: index of the function's place, in @functions of places_update() */
	uint32_t function_place;
	uint32_t location; /* the first location found in it */
	bool unsampled;
};

struct place_location {
	size_t first; /* index of its innermost frame in places.of */
	/* number of its frames; number of its lines in the profile when the frames were made */
	uint32_t n, lines;
	bool is_call; /* the location is in "[kernel]": the frame of a system call */
};

struct places {
	enum rows_by by;
	bool with_address, no_inline, no_demangle;
	struct place *place;
	size_t n, room;
	struct table table;
	struct pool pool;

	struct place_location *location;
	size_t locations, location_room;
	uint32_t *of; /* places of the frames of all locations, innermost first */
	size_t ofs, of_room;
	uint64_t renamed; /* incremented when a known location gets other frames */
};

/*
 * Collects the places of a whole profile. With NULL for @profile and @options there are none yet,
 * for a profile that grows (places_update()). 0 or -ENOMEM.
 */
int places_init(struct places *places, const struct profile *profile,
	const struct report_options *options, enum rows_by by);
void places_release(struct places *places);

/*
 * Takes the locations that are new or got names since the last call. Indexes of places are stable.
 * @functions: for places by line, those by function of the same profile, which were updated before;
 * or NULL. 0 or -ENOMEM.
 */
int places_update(
	struct places *places, const struct profile *profile, const struct places *functions);

/* Returns the places of a location's frames, innermost first. */
static inline const uint32_t *places_of(
	const struct places *places, uint32_t location, size_t *ret_n)
{
	*ret_n = places->location[location].n;
	return places->of + places->location[location].first;
}

/* Returns the place of a location's innermost frame. */
static inline uint32_t places_leaf(const struct places *places, uint32_t location)
{
	return places->of[places->location[location].first];
}

#endif
