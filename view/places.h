/* SPDX-License-Identifier: MIT */
/*
 * A profile's places (functions or source lines), each once, and the place of each frame of each
 * location. A location has a frame per function inlined there. The frames of a location are
 * replaced when its functions become known.
 */
#ifndef VIEW_PLACES_H
#define VIEW_PLACES_H

#include "base/pool.h"
#include "base/table.h"
#include "profile/profile.h"
#include "view/options.h"
#include "view/rows.h"

/* Equal strings are equal pointers, owned by the profile or by the pool. */
struct place {
	const char *function, *file, *object;
	uint32_t line; /* a source line; by function, the function's first line; 0: unknown */
	/* by line: the function's index in the @functions given to places_update() */
	uint32_t function_place;
	uint32_t location; /* the first location found in this place */
	bool unsampled;
};

struct place_location {
	size_t first; /* its innermost frame's index in places.of */
	/*
	 * @n: number of frames. @lines: number of entries (struct location_line) that the location
	 * had when the frames were made. If it has another number now, functions became known.
	 */
	uint32_t n, lines;
	bool is_call; /* the object is "[kernel]": the frame stands for a system call */
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
	uint32_t *of; /* places of all locations' frames, innermost first */
	size_t ofs, of_room;
	uint64_t renamed; /* number of times that a location's frames were replaced */
};

/* @profile NULL: no places yet; places_update() adds them as the profile grows. 0 or -ENOMEM. */
int places_init(struct places *places, const struct profile *profile,
	const struct report_options *options, enum rows_by by);
void places_release(struct places *places);

/*
 * Takes locations that are new or got names since the last call. Indexes of places are stable.
 * @functions: for places by line, the updated places by function; or NULL. 0 or -ENOMEM.
 */
int places_update(
	struct places *places, const struct profile *profile, const struct places *functions);

/* Returns the places of the location's frames, innermost first. */
static inline const uint32_t *places_of(
	const struct places *places, uint32_t location, size_t *ret_n)
{
	*ret_n = places->location[location].n;
	return places->of + places->location[location].first;
}

/* Returns the place of the location's innermost frame. */
static inline uint32_t places_leaf(const struct places *places, uint32_t location)
{
	return places->of[places->location[location].first];
}

#endif
