/* SPDX-License-Identifier: MIT */
/*
 * A profile's time in equal columns: how much each thread ran, its most frequent function, and when
 * nothing ran.
 */
#ifndef VIEW_REPORT_TIME_GRID_H
#define VIEW_REPORT_TIME_GRID_H

#include "view/frames.h"
#include "view/pairs.h"

/* A row of a thread, of a process, or of short processes of one name. */
struct timeline_row {
	uint32_t task;  /* index in the profile, of the first task of the row */
	uint32_t tasks; /* number of processes in this row */
	double weight;
};

struct timeline_phase {
	size_t from, to;           /* columns [@from, @to) */
	uint32_t row;              /* TIMELINE_NO_ROW: all rows together */
	uint32_t place;            /* the most frequent; TIMELINE_NO_PLACE: hardly anything ran */
	double weight, top_weight; /* weight of all that ran; of @place */
};

/* A span of many sampling periods without a sample. */
struct timeline_gap {
	uint64_t from_ns, to_ns;
	/* Indexes of samples in the profile, or TIMELINE_NO_STACK. */
	uint32_t before, after; /* stacks that ran right before and right after */
	uint32_t blocked;       /* stack of the thread blocked longest in the gap */
	uint64_t blocked_ns;    /* how long that thread was blocked */
	uint64_t queued_ns;     /* time that threads waited for a CPU, summed up */
	bool sure;              /* nothing ran; false: what ran may lack a sample by chance */
};

enum { TIMELINE_NO_ROW = UINT32_MAX, TIMELINE_NO_PLACE = UINT32_MAX };
enum { TIMELINE_NO_STACK = UINT32_MAX, TIMELINE_MOST_GAPS = 10 };

struct time_grid {
	struct frames frames;
	uint64_t from_ns, to_ns; /* since the beginning of the profile */
	size_t columns;
	struct timeline_row *row; /* heaviest first */
	size_t rows;              /* number in @row; @cell has one more, for all other tasks */
	double *cell;             /* weights: (rows + 1) times columns */
	struct pairs top;         /* pairs of (column << 32 | row) and place */
	double *top_weight;       /* by index in @top */
	size_t top_room;
	struct timeline_gap gap[TIMELINE_MOST_GAPS]; /* the longest gaps, by time */
	size_t gaps, all_gaps;                       /* number in @gap; number found */
	bool is_time;                                /* the value is in nanoseconds */
	bool is_cpu;
};

/*
 * Makes @columns columns, or fewer if samples are few. Without options->value, the value type of a
 * wall-clock profile is CPU time. -ENODATA: the profile has no usable time line. Other results and
 * @ret_problem: those of print() in struct report (report.h).
 */
int time_grid_init(struct time_grid *grid, const struct profile *profile,
	const struct report_options *options, size_t columns, char **ret_problem);
void time_grid_release(struct time_grid *grid);

/* Returns the start of a column, in ns since the beginning of the profile. */
uint64_t time_grid_ns(const struct time_grid *grid, size_t column);

/*
 * Finds the most frequent function in each part of @columns columns of @row (TIMELINE_NO_ROW: all).
 * @joined: equal consecutive parts become one. The caller frees *@ret_phase. 0 or -ENOMEM.
 */
int time_grid_phases(const struct time_grid *grid, uint32_t row, size_t columns, bool joined,
	struct timeline_phase **ret_phase, size_t *ret_phases);

/* 0 or -ENOMEM. */
int time_grid_find_gaps(struct time_grid *grid);

#endif
