/* SPDX-License-Identifier: MIT */
/*
 * Reports: functions that write text about a profile, in a const table, chosen by name. They know
 * no pids, pipes or ptrace. `sprofreport` and, at its end, `sprofrun` call the same ones.
 */
#ifndef VIEW_REPORT_REPORT_H
#define VIEW_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "view/options.h"

struct profile;

struct report {
	const char *name;        /* "flat" */
	const char *help;        /* one line */
	bool wants_function;     /* the report needs options->function */
	double text_min_percent; /* default of min_percent for text */
	/*
	 * Writes the report. 0, or -ENOMEM; -EINVAL: a pattern of the options is not a regular
	 * expression, or there is no such value type; -ENOENT: no function, or more than one, has
	 * the given name. With -EINVAL and -ENOENT, *@ret_problem is a sentence, which the caller
	 * frees; it may end with a list of names, a line each. The caller checks for write errors
	 * (ferror).
	 */
	int (*print)(const struct profile *profile, const struct report_options *options, FILE *out,
		char **ret_problem);
	/*
	 * Called instead of print if there are two sides; NULL: the report cannot compare. Returns
	 * what print returns, or 1: something is slower by more than options->fail_above, and
	 * *@ret_problem names it.
	 */
	int (*print_sides)(const struct report_sides *sides, const struct report_options *options,
		FILE *out, char **ret_problem);
};

/* Returns the report called @name; NULL: none. */
const struct report *report_find(const char *name);
/* Returns the report at @index in the table; NULL past the end. */
const struct report *report_at(size_t index);

/*
 * Prints the audit, the end of every text report: one line of figures, a sentence for each thing
 * that is wrong, and the notes. It is wrapped to @width columns, unless that is 0. 0 or -ENOMEM.
 */
int report_audit_line(const struct profile *profile, bool ascii, unsigned width, FILE *out);
/* Prints the end of the report `doctor`: the audit, which does not recommend `doctor` there. */
int report_audit_of_doctor(const struct profile *profile, bool ascii, unsigned width, FILE *out);
/* Prints the end of the report `summary`: the audit with all its figures. */
int report_audit_full(const struct profile *profile, bool ascii, unsigned width, FILE *out);

#endif
