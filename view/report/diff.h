/* SPDX-License-Identifier: MIT */
/* The report `diff`: changes between two sides, each of one run or several. */
#ifndef VIEW_REPORT_DIFF_H
#define VIEW_REPORT_DIFF_H

#include "base/pool.h"
#include "profile/compare.h"
#include "profile/profile.h"
#include "profile/speed.h"
#include "view/report/report.h"

/*
 * A function (or call path) with its values in all runs. It is identified by names, because
 * addresses differ between builds.
 */
struct diff_row {
	const char *function; /* a function's name, or a call path, "main;run;eval" */
	const char *object;   /* the last component of the object's path */
	bool unsampled;
	struct compare_row by;    /* the compared value: self, or total with sort_by_total */
	double self[2], total[2]; /* by side: means over its runs, as they are compared */
};

struct diff {
	const struct report_sides *sides;
	struct report_options options;
	struct value_type type;
	struct diff_row *row; /* significant ones first, then by amount of change */
	size_t rows, tested, significant;
	struct compare_run *run; /* the runs of side A, then those of side B */
	double all[2];           /* by side: mean of its runs' totals, as they are compared */
	double used[2];          /* by side: that mean as recorded: --by share does not scale it */
	bool measured; /* the totals are the kernel's CPU time of all runs, which has no error */
	struct speed speed; /* speed of the machine; noise is removed from the rows' values */
	struct pool strings;
};

/*
 * Compares the sides (diff_compare.c). The results and @ret_problem are those of print() in struct
 * report (report.h). -EINVAL, too, if the runs have different value types.
 */
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
 * Prints the report: the print_sides() of its struct report (report.h). 1: something is
 * significantly slower by more than fail_above; *@ret_problem names it.
 */
int diff_print(const struct report_sides *sides, const struct report_options *options, FILE *out,
	char **ret_problem);

/*
 * In diff_text.c. diff_head() prints the text above the rows: the two sides. diff_foot() prints the
 * text below them: what was tested.
 */
void diff_head(const struct diff *diff, FILE *out);
void diff_foot(const struct diff *diff, FILE *out);

/* Prints the text form (diff_text.c). 0 or -ENOMEM. */
int diff_text(const struct diff *diff, FILE *out);

#endif
