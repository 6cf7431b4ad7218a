/* SPDX-License-Identifier: MIT */
/*
 * The report `callers`: a function, its callers and its callees, each with its share.
 *
 * The total of a caller or callee is that of the samples whose stack has the call, each counted
 * once. The self of a caller: samples in the function itself, called by that caller. The self of a
 * callee: samples in the callee itself, called by the function. A function that calls itself is not
 * its own caller. Totals of callers may add up to more than the function's total, because a stack
 * may contain several callers.
 */
#ifndef VIEW_REPORT_CALLERS_H
#define VIEW_REPORT_CALLERS_H

#include "view/frames.h"

/* The caller of an outermost function. */
#define CALLERS_NOBODY "[no caller]"

struct callers_side {
	struct row *row; /* hottest first */
	size_t n, room;
	uint32_t *row_of; /* by place, then for CALLERS_NOBODY: index of its row + 1; 0: none */
	size_t *seen;     /* by row: index + 1 of the last sample counted in its total */
	size_t seen_room;
	size_t left_out; /* number of rows excluded by the options */
};

struct callers {
	struct row function;
	struct callers_side caller, callee;
	bool *is_function; /* by place: is it of the report's function? */
	struct frames frames;
};

/*
 * Returns 0; -ENOMEM; -ENOENT: no function, or several, match options->function; -EINVAL: a pattern
 * of the options is no regular expression, or the profile lacks the value type. With -ENOENT and
 * -EINVAL, *@ret_problem is a sentence, which the caller frees. A list of names may follow it, a
 * line each.
 */
int callers_init(struct callers *callers, const struct profile *profile,
	const struct report_options *options, char **ret_problem);
void callers_release(struct callers *callers);

/*
 * Finds the function that @options->function names: by the name that reports show, by the name that
 * the linker knows, or by an extended regular expression that matches a single name. *@ret_name is
 * the name that reports show; the caller frees it.
 *
 * Returns 0; -ENOMEM; -ENOENT: no function, or several, match; -EINVAL: no function has the name,
 * and it is no regular expression. *@ret_problem: as for callers_init().
 */
int callers_find(const struct profile *profile, const struct report_options *options,
	char **ret_name, char **ret_problem);

#endif
