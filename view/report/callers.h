/* SPDX-License-Identifier: MIT */
/*
 * The report `callers`: one function, its callers and its callees, each with its share.
 *
 * The total of a caller or callee counts each sample once whose stack has the call, however often.
 * The self of a caller is the function's own self when called by it. The self of a callee is the
 * callee's own when the function called it. A function that calls itself is not its own caller. The
 * totals of callers may sum up to more than the function's, because a stack may contain several
 * callers.
 */
#ifndef VIEW_REPORT_CALLERS_H
#define VIEW_REPORT_CALLERS_H

#include "view/places.h"
#include "view/rows.h"

/* Stands for the missing caller of an outermost function. */
#define CALLERS_NOBODY "[no caller]"

struct callers_side {
	struct row *row; /* hottest first */
	size_t n, room;
	uint32_t *row_of; /* by place, and last for no caller: index of the row + 1; 0: none */
	size_t *seen;     /* by row: index + 1 of the last sample counted in its total */
	size_t seen_room;
	size_t left_out; /* number of rows that the options exclude */
};

struct callers {
	struct row function;
	struct callers_side caller, callee;
	bool *is_function; /* by place: is the place the function that the report is about? */
	struct places places;
	struct rows sums; /* the sums that rows_sum_up() computes; without rows */
};

/*
 * Collects callers and callees. -ENOENT: no function has that name, or the expression matches none
 * or several. The other results and @ret_problem are those of print() in struct report.
 */
int callers_init(struct callers *callers, const struct profile *profile,
	const struct report_options *options, char **ret_problem);
void callers_release(struct callers *callers);

/*
 * Finds the function of which @options->function is the name, the name as linked, or an extended
 * regular expression that matches no other name. The caller frees *ret_name, the name as shown.
 * Results as those of callers_init().
 */
int callers_find(const struct profile *profile, const struct report_options *options,
	char **ret_name, char **ret_problem);

/* Prints the report: the print() of its struct report (report.h). */
int callers_print(const struct profile *profile, const struct report_options *options, FILE *out,
	char **ret_problem);

/* Prints the text form (callers_text.c). 0 or -ENOMEM. */
int callers_text(const struct profile *profile, const struct report_options *options,
	const struct callers *callers, FILE *out);

#endif
