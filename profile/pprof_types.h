/* SPDX-License-Identifier: MIT */
/* The meaning of the values and labels of pprof files, ours and those of other programs. */
#ifndef PROFILE_PPROF_TYPES_H
#define PROFILE_PPROF_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

/* Returns the nanoseconds in a unit of time, as named by pprof; 0 for any other unit. */
int64_t pprof_types_ns(const char *unit);

/*
 * A column of the file: its value type in the model, and the factor by which its values are
 * multiplied.
 */
struct pprof_column {
	int value; /* index of the value type, -1: skipped */
	int64_t factor;
};

/*
 * Finds or adds the value type of a column: samples/count, cpu in any unit of time, any other
 * unchanged. -ENOMEM; -ENOSPC: too many.
 */
int pprof_types_column(struct profile *profile, const char *type, const char *unit,
	struct pprof_column *ret_column);

/* Returns @value * @factor, limited to the range of int64_t. */
int64_t pprof_types_times(int64_t value, int64_t factor);

/*
 * Applies a label about the task to @task, whose strings are not NULL; @text is NULL for a number.
 * True: the label is one of ours, and @task has all of it. False: the caller must keep the label,
 * because it is not about the task, or has a name that our writer does not use.
 */
bool pprof_types_label(struct task *task, const char *key, const char *text, int64_t number);

#endif
