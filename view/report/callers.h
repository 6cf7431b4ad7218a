/* SPDX-License-Identifier: MIT */
/*
 * The report `callers`: one function, its callers and callees, each with its share.
 *
 * Total counts a sample once, however often the call is in its stack. Self of a caller is that of
 * the function when called by this caller; self of a callee is its own when called by the function.
 * A function that calls itself is not its own caller. Callers may sum up to more than the function
 * if a stack contains several.
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
	uint32_t *row_of; /* by place, and one more for no caller: index of its row + 1 */
	size_t *seen;     /* by row: the last sample counted in total, + 1 */
	size_t seen_room;
	size_t left_out;
};

struct callers {
	struct row function;
	struct callers_side caller, callee;
	bool *is_function; /* by place: it is one of the function's */
	struct places places;
	struct rows sums; /* sums over the samples, without rows */
};

/*
 * Collects callers and callees. -ENOENT: no function has that name, or the expression matches none
 * or several; otherwise results as those of report->print. @ret_problem is set in each case.
 */
int callers_init(struct callers *callers, const struct profile *profile,
	const struct report_options *options, char **ret_problem);
void callers_release(struct callers *callers);

/*
 * Finds the function that @options->function means: its name, its name as linked, or an extended
 * regular expression that matches only one name. The caller frees the name.
 */
int callers_find(const struct profile *profile, const struct report_options *options,
	char **ret_name, char **ret_problem);

/* The print() of the report (report.h). */
int callers_print(const struct profile *profile, const struct report_options *options, FILE *out,
	char **ret_problem);

/* Prints the text form (callers_text.c). */
int callers_text(const struct profile *profile, const struct report_options *options,
	const struct callers *callers, FILE *out);

#endif
