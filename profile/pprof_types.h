/* SPDX-License-Identifier: MIT */
/* The meaning of the values and labels of pprof files, ours and those of other programs. */
#ifndef PROFILE_PPROF_TYPES_H
#define PROFILE_PPROF_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

/* Returns the nanoseconds in a unit of time of pprof; 0: another unit. */
int64_t pprof_types_ns(const char *unit);

struct pprof_column {
	int value;      /* index of the value type in the model; -1: skipped */
	int64_t factor; /* values are multiplied by this */
};

/*
 * Finds or adds a column's value type. cpu may have any unit of time. 0; -ENOMEM; -ENOSPC: the
 * profile already has VALUE_TYPES_MAX types.
 */
int pprof_types_column(struct profile *profile, const char *type, const char *unit,
	struct pprof_column *ret_column);

/* Returns @value * @factor, limited to the range of int64_t. */
int64_t pprof_types_times(int64_t value, int64_t factor);

/*
 * Applies a label to @task if it is about the task. The strings of @task must not be NULL. @text
 * NULL: the label's value is @number. Returns whether sprofil writes such a label itself. False:
 * the caller must keep the label, because it would be lost otherwise.
 */
bool pprof_types_label(struct task *task, const char *key, const char *text, int64_t number);

#endif
