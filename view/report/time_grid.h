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
	uint32_t tasks; /* number of short threads joined in this row; 1: none were joined */
	double weight;
};

struct timeline_phase {
	size_t from, to;           /* columns [@from, @to) */
	uint32_t row;              /* TIMELINE_NO_ROW: all rows together */
	uint32_t place;            /* the most frequent; TIMELINE_NO_PLACE: hardly anything ran */
	double weight, top_weight; /* weight of all that ran; weight of @place */
};

/* A span of many sampling periods without a sample. */
struct timeline_gap {
	uint64_t from_ns, to_ns;
	/* Indexes of samples in the profile, or TIMELINE_NO_STACK. */
	uint32_t before, after; /* stacks that ran right before and right after */
	uint32_t blocked;       /* stack of the thread blocked longest in the gap */
	uint64_t blocked_ns;    /* how long that thread was blocked */
	uint64_t queued_ns;     /* time that threads waited for a CPU, summed up */
	bool sure;              /* true: nothing ran; false: the lack of samples may be chance */
};

enum { TIMELINE_NO_ROW = UINT32_MAX, TIMELINE_NO_PLACE = UINT32_MAX };
enum { TIMELINE_NO_STACK = UINT32_MAX, TIMELINE_MOST_GAPS = 10 };

struct time_grid {
	struct frames frames;
	uint64_t from_ns, to_ns; /* since the beginning of the profile */
	size_t columns;
	struct timeline_row *row; /* heaviest first */
	size_t rows;              /* number of elements of @row */
	double *cell;             /* weights: @columns a row, and @columns for all other tasks */
	struct pairs top;         /* pairs of (column << 32 | row) and place */
	double *top_weight;       /* by index in @top */
	size_t top_room;
	struct timeline_gap gap[TIMELINE_MOST_GAPS]; /* the longest gaps, the earliest first */
	size_t gaps, all_gaps;                       /* number in @gap; number found */
	bool is_time;                                /* the value is in nanoseconds */
	bool is_cpu;
};

/*
 * Makes @columns columns, or fewer if there are few samples. Without options->value, the value type
 * of a wall-clock profile is CPU time.
 *
 * Returns 0; -ENOMEM; -ENODATA: the profile has no time line, or one that cannot be used
 * (timeline_why_left_out()); -EINVAL: a pattern of the options is no regular expression, or the
 * profile lacks the value type. With -ENODATA and -EINVAL, *@ret_problem is a sentence, which the
 * caller frees.
 */
int time_grid_init(struct time_grid *grid, const struct profile *profile,
	const struct report_options *options, size_t columns, char **ret_problem);
void time_grid_release(struct time_grid *grid);

/* Returns the start of a column, in ns since the beginning of the profile. */
uint64_t time_grid_ns(const struct time_grid *grid, size_t column);

/*
 * Divides the columns into parts of @columns columns, and finds the most frequent function of each
 * part in row @row (TIMELINE_NO_ROW: in all rows together). @joined: consecutive parts with the
 * same function become one. The caller frees *@ret_phase. 0 or -ENOMEM.
 */
int time_grid_phases(const struct time_grid *grid, uint32_t row, size_t columns, bool joined,
	struct timeline_phase **ret_phase, size_t *ret_phases);

/* 0 or -ENOMEM. */
int time_grid_find_gaps(struct time_grid *grid);

#endif
