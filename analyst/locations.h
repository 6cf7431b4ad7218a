/* SPDX-License-Identifier: MIT */
/* The locations of the profile that stand for places of modules, and their names. */
#ifndef ANALYST_LOCATIONS_H
#define ANALYST_LOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolizer/symbolizer.h"

struct profile;

struct locations {
	struct profile *profile;       /* not owned */
	struct symbolizer *symbolizer; /* not owned */
	struct opener *opener;         /* of generated code; not owned */
	struct place *place;           /* of each location; module NULL: not of a module */
	bool *nameless; /* of those named: only the function's place is known, or nothing */
	size_t places, place_room;
	size_t named; /* places before this one have been named */
};

void locations_release(struct locations *locations);

/* The location of a place; the place is kept, for its name. -ENOMEM. */
int locations_add(struct locations *locations, const struct place *place);

/*
 * A location that is told by its name alone: @object is its mapping, "[syscall]" for instance.
 * -ENOMEM.
 */
int locations_add_named(struct locations *locations, const char *object, const char *function);

/*
 * Names those that were added by locations_add() since the last call. Runs foreign code on foreign
 * files. -ENOMEM.
 */
int locations_name_new(struct locations *locations);

/*
 * Remarks for the profile: files that were written to, and files without names because they were
 * deleted or replaced. -ENOMEM.
 */
int locations_note_losses(struct locations *locations);

/* Is a location of a module without a name? Asked after locations_name_new(). */
bool locations_is_nameless(const struct locations *locations, uint32_t index);

#endif
