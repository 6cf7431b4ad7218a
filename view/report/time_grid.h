/* SPDX-License-Identifier: MIT */
/*
 * The time of a profile, divided into columns of equal length: how much each thread ran in each,
 * its most frequent function at the time, and when nothing ran.
 */
#ifndef VIEW_REPORT_TIME_GRID_H
#define VIEW_REPORT_TIME_GRID_H

#include "view/frames.h"
#include "view/pairs.h"

/* A thread, or another unit of the split. The last row collects all without a row of their own. */
struct timeline_row {
	uint32_t task;
	/* number of short processes with the same name that are in this row; or 1 */
	uint32_t tasks;
	double weight;
};

/* A part of the time with one function on top, or none. */
struct timeline_phase {
	size_t from, to; /* first and last column */
	uint32_t row;    /* TIMELINE_NO_ROW all */
	uint32_t place;  /* place on top; TIMELINE_NO_PLACE: nothing ran */
	double weight, top_weight;
};

/* A time in which nothing ran, longer than chance explains. */
struct timeline_gap {
	uint64_t from_ns, to_ns;
	uint32_t before, after; /* stacks that ran right before and after; TIMELINE_NO_STACK */
	uint32_t blocked; /* where a thread was blocked most of the gap, if that was recorded */
	uint64_t blocked_ns;
	uint64_t queued_ns; /* for which threads waited for a CPU, all together */
};

enum { TIMELINE_NO_ROW = UINT32_MAX, TIMELINE_NO_PLACE = UINT32_MAX };
enum { TIMELINE_NO_STACK = UINT32_MAX, TIMELINE_MOST_GAPS = 10 };

struct time_grid {
	struct frames frames;
	uint64_t from_ns, to_ns;
	size_t columns;
	struct timeline_row *row; /* heaviest first */
	size_t rows;              /* number of rows without the last one */
	double *cell;             /* weights: (rows + 1) times columns */
	struct pairs top;         /* (column, row), place */
	double *top_weight;       /* by index in top */
	size_t top_room;
	struct timeline_gap gap[TIMELINE_MOST_GAPS];
	size_t gaps, all_gaps;
	bool is_time; /* the value is a time, in nanoseconds */
	bool is_cpu;  /* the value is CPU time */
};

/*
 * Divides the profile's time. @columns: maximum for the text; fewer if samples are few. The default
 * of a wall-clock profile is CPU time. Results and @ret_problem as those of report->print;
 * -ENODATA: the profile has no time line.
 */
int time_grid_init(struct time_grid *grid, const struct profile *profile,
	const struct report_options *options, size_t columns, char **ret_problem);
void time_grid_release(struct time_grid *grid);

/* The start time of a column. */
uint64_t time_grid_ns(const struct time_grid *grid, size_t column);

/*
 * What was on top in each part of @columns columns, of one row or TIMELINE_NO_ROW; with @joined,
 * consecutive parts with the same on top are joined. The caller frees the result. -ENOMEM.
 */
int time_grid_phases(const struct time_grid *grid, uint32_t row, size_t columns, bool joined,
	struct timeline_phase **ret_phase, size_t *ret_phases);

/* Fills grid->gap (timeline_gaps.c). -ENOMEM. */
int time_grid_find_gaps(struct time_grid *grid);

#endif
