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
	struct opener *opener;         /* for generated code; borrowed */
	struct code_location *code;    /* by location: where it is; module NULL: not in a module */
	/* by location, if it is named: the function is known by its address only, or not at all */
	bool *nameless;
	size_t codes, code_room;
	size_t named; /* locations before this one have been named */
};

void locations_release(struct locations *locations);

/* Adds @code, if it is new, and stores it for naming: the location. -ENOMEM. */
int locations_add(struct locations *locations, const struct code_location *code);

/*
 * A location identified only by its name: @object is its mapping, for example "[syscall]". -ENOMEM.
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

/* Does a location of a module have no name? Valid after locations_name_new(). */
bool locations_is_nameless(const struct locations *locations, uint32_t index);

#endif
