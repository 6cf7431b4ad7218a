/* SPDX-License-Identifier: MIT */
/* Builds a row of a table for programs (sheet.h): the columns that all these tables share. */
#ifndef VIEW_ROW_BUILDER_H
#define VIEW_ROW_BUILDER_H

#include "view/rows.h"
#include "view/sheet.h"

enum { ROW_BUILDER_COLUMNS_MOST = 20 };

struct row_builder {
	const char *name[ROW_BUILDER_COLUMNS_MOST];
	struct cell cell[ROW_BUILDER_COLUMNS_MOST];
	size_t n;
};

/* The value type of a profile with neither samples nor CPU time (a heap profile). */
struct row_builder_other {
	size_t index;       /* index of the value type; 0: the profile has no such type */
	char *self, *total; /* "self_inuse_space_bytes", "total_inuse_space_bytes" */
};

int row_builder_other_init(
	struct row_builder_other *other, const struct profile *profile, const struct rows *rows);
void row_builder_other_release(struct row_builder_other *other);

void row_builder_add(struct row_builder *to, const char *name, struct cell cell);
/* Adds the columns "pid process" or "tid thread" if the options split by process or thread. */
void row_builder_task(
	struct row_builder *to, const struct report_options *options, const struct row *row);
/*
 * Adds the columns "self_samples self_ns total_samples total_ns" and, if the profile has wall-clock
 * time, "wall_ns runqueue_ns blocked_ns".
 */
void row_builder_values(
	struct row_builder *to, const struct profile *profile, const struct row *row);
void row_builder_others(
	struct row_builder *to, const struct row_builder_other *other, const struct row *row);

#endif
