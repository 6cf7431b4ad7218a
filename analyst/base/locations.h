/* SPDX-License-Identifier: MIT */
/* The locations of the profile that are in modules, and their names. */
#ifndef ANALYST_LOCATIONS_H
#define ANALYST_LOCATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbolizer/symbolizer.h"

struct profile;

struct locations {
	struct profile *profile;       /* borrowed */
	struct symbolizer *symbolizer; /* borrowed */
	struct opener *opener;         /* opens the maps of generated code; borrowed */
	struct code_location *code;    /* element i: of location i; module NULL: not in a module */
	/* Element i, if i < @named: location i has no function, or one known by address only. */
	bool *nameless;
	size_t codes, code_room;
	size_t named; /* the locations below this index have been named */
};

void locations_release(struct locations *locations);

/* Returns the location of @code; adds it if it is new, to be named later. -ENOMEM. */
int locations_add(struct locations *locations, const struct code_location *code);

/*
 * Returns a location that has a name but no address. @object: its mapping, for example "[syscall]".
 * -ENOMEM.
 */
int locations_add_named(struct locations *locations, const char *object, const char *function);

/*
 * Names the locations added by locations_add() since the last call. Runs third-party code on
 * untrusted files. -ENOMEM.
 */
int locations_name_new(struct locations *locations);

/*
 * Adds remarks to the profile: files that were written to, and files without names because they
 * were deleted or replaced. -ENOMEM.
 */
int locations_note_losses(struct locations *locations);

/* Does the location have no name? Valid after locations_name_new(). */
bool locations_is_nameless(const struct locations *locations, uint32_t index);

#endif
