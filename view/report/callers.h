/* SPDX-License-Identifier: MIT */
/*
 * The report `callers`: a function, its callers and its callees, each with its share.
 *
 * The total of a caller or callee counts each sample once whose stack has the call. A caller's self
 * is the function's self when called by it; a callee's self is the callee's own when called by the
 * function. A function that calls itself is not its own caller. Totals of callers may add up to
 * more than the function's, because a stack may contain several callers.
 */
#ifndef VIEW_REPORT_CALLERS_H
#define VIEW_REPORT_CALLERS_H

#include "view/places.h"
#include "view/rows.h"

/* The caller of an outermost function. */
#define CALLERS_NOBODY "[no caller]"

struct callers_side {
	struct row *row; /* hottest first */
	size_t n, room;
	uint32_t *row_of; /* by place, then one for no caller: index of the row + 1; 0: no row */
	size_t *seen;     /* by row: index + 1 of the last sample counted in its total */
	size_t seen_room;
	size_t left_out; /* number of rows excluded by the options */
};

struct callers {
	struct row function;
	struct callers_side caller, callee;
	bool *is_function; /* by place: is it of the report's function? */
	struct places places;
	struct rows sums; /* what rows_sum_up() sets; no rows */
};

/* -ENOENT if not exactly one function matches; else the contract of struct report's print(). */
int callers_init(struct callers *callers, const struct profile *profile,
	const struct report_options *options, char **ret_problem);
void callers_release(struct callers *callers);

/*
 * Finds the function that @options->function names: as shown, as linked, or by an extended regular
 * expression that matches a single name. The caller frees *@ret_name, the name as shown. Results:
 * those of callers_init().
 */
int callers_find(const struct profile *profile, const struct report_options *options,
	char **ret_name, char **ret_problem);

#endif
