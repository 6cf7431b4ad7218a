/* SPDX-License-Identifier: MIT */
/* The report `diff`: changes between two sides, each of one or several runs. */
#ifndef VIEW_REPORT_DIFF_H
#define VIEW_REPORT_DIFF_H

#include "base/pool.h"
#include "profile/compare.h"
#include "profile/profile.h"
#include "profile/speed.h"
#include "view/report/report.h"

/* A function or call path. Names identify it, because addresses differ between builds. */
struct diff_row {
	const char *function; /* a name, or a call path, "main;run;eval" */
	const char *object;   /* last component of the object's path */
	bool unsampled;
	struct compare_row by;    /* the compared value: self, or total with sort_by_total */
	double self[2], total[2]; /* by side: mean of its runs, in the scale of @by */
};

struct diff {
	const struct report_sides *sides;
	struct report_options options;
	struct value_type type;
	struct diff_row *row; /* significant ones first, then by amount of change */
	size_t rows, tested, significant;
	struct compare_run *run; /* runs of side A, then runs of side B */
	double all[2];           /* by side: mean total of its runs; with by_share, equal */
	double used[2];          /* by side: mean total of its runs, never scaled by scale_runs() */
	bool measured;           /* each run's total is the CPU time that the kernel measured */
	/*
	 * How fast the machine was in each run. If runs of one side differ in speed (@is_noise),
	 * the rows of each run were divided by the run's factor.
	 */
	struct speed speed;
	struct pool strings;
};

/*
 * Returns 0; -ENOMEM; -EFBIG: a call tree has too many nodes; -EINVAL: a pattern of the options is
 * no regular expression, a profile lacks the value type, or the runs have different value types.
 * With -EINVAL, *@ret_problem is a sentence, which the caller frees.
 */
int diff_init(struct diff *diff, const struct report_sides *sides,
	const struct report_options *options, char **ret_problem);
void diff_release(struct diff *diff);

/* Maximum false discovery rate of significant rows. */
#define DIFF_FALSE_DISCOVERIES 0.05
static inline bool diff_is_significant(const struct diff_row *row)
{
	return row->by.tested && row->by.q <= DIFF_FALSE_DISCOVERIES;
}

/*
 * Prints the report. Returns what diff_init() returns, or 1 if something became slower by more than
 * options->fail_above: *@ret_problem then names it, and the caller frees it.
 */
int diff_print(const struct report_sides *sides, const struct report_options *options, FILE *out,
	char **ret_problem);

/* diff_head() prints the two sides, above the rows; diff_foot() what was tested, below. */
void diff_head(const struct diff *diff, FILE *out);
void diff_foot(const struct diff *diff, FILE *out);

/* 0 or -ENOMEM. */
int diff_text(const struct diff *diff, FILE *out);

#endif
