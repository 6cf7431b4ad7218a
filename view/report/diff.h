/* SPDX-License-Identifier: MIT */
/* The report `diff`: changes between two sides, each of one run or several. */
#ifndef VIEW_REPORT_DIFF_H
#define VIEW_REPORT_DIFF_H

#include "base/pool.h"
#include "profile/compare.h"
#include "profile/profile.h"
#include "profile/speed.h"
#include "view/report/report.h"

/* Rows of all runs, identified by names, because addresses differ between builds. */
struct diff_row {
	const char *function; /* function, or a call path, "main;run;eval" */
	const char *object;   /* the last component of its path */
	bool unsampled;
	struct compare_row by;    /* the compared value: self, or total with sort_by_total */
	double self[2], total[2]; /* means over the runs of each side, as compared */
};

struct diff {
	const struct report_sides *sides;
	struct report_options options;
	struct value_type type;
	struct diff_row *row; /* significant ones first, then by amount of change */
	size_t rows, tested, significant;
	struct compare_run *run; /* the runs of side A, then those of side B */
	double all[2];           /* means of the runs of each side, as they are compared */
	double used[2];          /* the same as recorded, without the scale of --by share */
	struct speed speed;      /* if it is noise, it has been removed from the rows' values */
	struct pool strings;
};

/* Compares the sides. Results and @ret_problem as those of report->print. */
int diff_init(struct diff *diff, const struct report_sides *sides,
	const struct report_options *options, char **ret_problem);
void diff_release(struct diff *diff);

/* The maximum false discovery rate of rows called significant. */
#define DIFF_FALSE_DISCOVERIES 0.05
static inline bool diff_is_significant(const struct diff_row *row)
{
	return row->by.tested && row->by.q <= DIFF_FALSE_DISCOVERIES;
}

/*
 * The print_sides() of the report (report.h): 1 if something is significantly slower by more than
 * fail_above, and @ret_problem names it.
 */
int diff_print(const struct report_sides *sides, const struct report_options *options, FILE *out,
	char **ret_problem);

/* Prints the text above and below the rows (diff_text.c): the sides, what was tested. */
void diff_head(const struct diff *diff, FILE *out);
void diff_foot(const struct diff *diff, FILE *out);

/* Prints the text form (diff_text.c). */
int diff_text(const struct diff *diff, FILE *out);

#endif
