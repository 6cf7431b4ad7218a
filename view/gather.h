/* SPDX-License-Identifier: MIT */
/* The columns common to all tables for programs, collected in their order. */
#ifndef VIEW_GATHER_H
#define VIEW_GATHER_H

#include "view/rows.h"
#include "view/sheet.h"

enum { GATHER_MAX = 20 };

struct gathering {
	const char *name[GATHER_MAX];
	struct cell cell[GATHER_MAX];
	size_t n;
};

/* Values of a profile that has neither samples nor CPU time (a heap profile). */
struct gather_other {
	size_t index;       /* 0 none */
	char *self, *total; /* "self_inuse_space_bytes", "total_inuse_space_bytes" */
};

int gather_other_init(
	struct gather_other *other, const struct profile *profile, const struct rows *rows);
void gather_other_release(struct gather_other *other);

void gather(struct gathering *to, const char *name, struct cell cell);
/* "pid process", "tid thread", when split. */
void gather_task(struct gathering *to, const struct report_options *options, const struct row *row);
/* "self_samples self_ns total_samples total_ns", "wall_ns runqueue_ns blocked_ns". */
void gather_values(struct gathering *to, const struct profile *profile, const struct row *row);
void gather_others(struct gathering *to, const struct gather_other *other, const struct row *row);

#endif
