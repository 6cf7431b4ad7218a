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
	struct opener *opener;         /* opens files; borrowed; NULL: this process does */
	struct code_location *code;    /* by location; its module is NULL outside of modules */
	/* for each location below @named: has it no function, or only an address as name? */
	bool *nameless;
	size_t codes, code_room;
	size_t named; /* locations below this index have been named */
};

void locations_release(struct locations *locations);

/* Returns the location of @code; if new, it is added, to be named later. -ENOMEM. */
int locations_add(struct locations *locations, const struct code_location *code);

/* A location with a name but no address; @object: its mapping, such as "[syscall]". -ENOMEM. */
int locations_add_named(struct locations *locations, const char *object, const char *function);

/* Names all new locations. Runs third-party code on untrusted files. -ENOMEM. */
int locations_name_new(struct locations *locations);

/* Adds notes on files that were written to, and on those without readable names. -ENOMEM. */
int locations_note_losses(struct locations *locations);

/* Has the location no name? Valid after locations_name_new(). */
bool locations_is_nameless(const struct locations *locations, uint32_t index);

#endif
