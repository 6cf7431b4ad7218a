/* SPDX-License-Identifier: MIT */
/*
 * Every line of every location, in a report by function or by line: an index of a place. A location
 * is examined again when it gets names.
 */
#ifndef VIEW_PLACES_H
#define VIEW_PLACES_H

#include "base/pool.h"
#include "base/table.h"
#include "profile/profile.h"
#include "view/options.h"
#include "view/rows.h"

/* Strings are unique pointers: of the profile, or of the pool. */
struct place {
	const char *function, *file, *object;
	uint32_t line;           /* by function: its first line; 0 unknown */
	uint32_t function_place; /* by line: the function's index in @functions, if these are given
				  */
	uint32_t location;       /* some location in it */
	bool unsampled;
};

struct place_location {
	size_t first;      /* its first frame in @of */
	uint32_t n, lines; /* frames; lines that the profile had for it */
	bool is_call;      /* the frame of a system call */
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
 * Those of a whole profile; or, with neither @profile nor @options, of one that grows. -ENOMEM.
 */
int places_init(struct places *places, const struct profile *profile,
	const struct report_options *options, enum rows_by by);
void places_release(struct places *places);

/*
 * Takes new locations, and names that have come; indexes of places are stable. @functions: the
 * places by function that were updated before; NULL: none. -ENOMEM.
 */
int places_update(
	struct places *places, const struct profile *profile, const struct places *functions);

/* The places of a location's frames, innermost first. */
static inline const uint32_t *places_of(
	const struct places *places, uint32_t location, size_t *ret_n)
{
	*ret_n = places->location[location].n;
	return places->of + places->location[location].first;
}

/* The place of a location's innermost frame. */
static inline uint32_t places_leaf(const struct places *places, uint32_t location)
{
	return places->of[places->location[location].first];
}

#endif
