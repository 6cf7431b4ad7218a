/* SPDX-License-Identifier: MIT */
/*
 * Times of processes that have no sample. They are kept until the end, then added to the profile by
 * executable.
 */
#ifndef ANALYST_UNSAMPLED_H
#define ANALYST_UNSAMPLED_H

#include <stddef.h>
#include <stdint.h>

#include "proto/record.h"

struct profile;
struct wallclock;

struct unsampled {
	struct record_unsampled *list; /* its paths are owned */
	size_t n, room;
};

void unsampled_release(struct unsampled *unsampled);

/* Copies a record. -ENOMEM. */
int unsampled_take(struct unsampled *unsampled, const struct record_unsampled *record);
/* Adds all times to the profile. -ENOMEM. */
int unsampled_finish(const struct unsampled *unsampled, const struct wallclock *wallclock,
	struct profile *profile);
/*
 * Adds a row for the times of process @pid, which is named @name. @pid 0: the row is of several
 * processes, and is named after their executable. -ENOMEM.
 */
int unsampled_add(struct profile *profile, const struct wallclock *wallclock,
	const struct record_unsampled *times, uint32_t pid, const char *name);

#endif
