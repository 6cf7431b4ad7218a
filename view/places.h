/* SPDX-License-Identifier: MIT */
/* Every line of every location, in a report by function or by line: an index of a place. */
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
	uint32_t line;
	bool unsampled;
};

struct places {
	struct place *place;
	size_t n, room;
	struct table table;
	struct pool pool;

	size_t *first; /* by location, and one more: its first index in @of */
	uint32_t *of;  /* places of all locations, innermost first */
	size_t ofs, of_room;
};

int places_init(struct places *places, const struct profile *profile,
	const struct report_options *options, enum rows_by by);
void places_release(struct places *places);

#endif
