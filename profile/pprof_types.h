/* SPDX-License-Identifier: MIT */
/*
 * What the values and labels of pprof files, ours and those of others, mean to the model.
 */
#ifndef PROFILE_PPROF_TYPES_H
#define PROFILE_PPROF_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

/* Nanoseconds in a unit of time as pprof names it, 0 for another unit. */
int64_t pprof_types_ns(const char *unit);

/* A column of the file: to which value it goes, and times what. */
struct pprof_column {
	int value; /* index of the value type, -1 it is left out */
	int64_t factor;
};

/*
 * Finds or adds the value type of a column: samples/count, cpu in any unit of time, any other as it
 * is. -ENOMEM; -ENOSPC when there are too many.
 */
int pprof_types_column(struct profile *profile, const char *type, const char *unit,
	struct pprof_column *ret_column);

/* A product that stays at the end of its range. */
int64_t pprof_types_times(int64_t value, int64_t factor);

/*
 * Takes a label into the task, whose strings are not NULL, if it is about one; @text is NULL for a
 * number. False: it is not, or by another name than ours, and is to be kept as it is.
 */
bool pprof_types_label(struct task *task, const char *key, const char *text, int64_t number);

#endif
