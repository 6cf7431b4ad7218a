/* SPDX-License-Identifier: MIT */
/*
 * Reports: functions that write text about a profile, in a const table, chosen by name. They know
 * no pids, pipes or ptrace. `sprofreport` and, at its end, `sprofrun` call them.
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
	bool wants_function;     /* needs options->function */
	double text_min_percent; /* default of min_percent in text */
	/*
	 * Returns 0; -ENOMEM; -EINVAL if a pattern of the options is no regular expression, or the
	 * value type does not exist; or -ENOENT if no function, or several, has the given name.
	 * With -EINVAL and -ENOENT, *@ret_problem is a sentence, which the caller frees; a list of
	 * names may follow it, a line each. The caller checks for write errors (ferror).
	 */
	int (*print)(const struct profile *profile, const struct report_options *options, FILE *out,
		char **ret_problem);
	/*
	 * Called instead of print() for two sides; NULL: the report cannot compare. Results: those
	 * of print(), and 1 if something is slower by more than options->fail_above; *@ret_problem
	 * then names it.
	 */
	int (*print_sides)(const struct report_sides *sides, const struct report_options *options,
		FILE *out, char **ret_problem);
};

/* NULL: no report has the name. */
const struct report *report_find(const char *name);
/* NULL: past the end of the table. */
const struct report *report_at(size_t index);

/*
 * Prints the audit, the end of every text report: one line of figures, a sentence for each thing
 * that is wrong, and the notes. With @width 0, lines are not wrapped. 0 or -ENOMEM.
 */
int report_audit_line(const struct profile *profile, bool ascii, unsigned width, FILE *out);
/* For the report `doctor`: the audit that does not recommend `doctor`. */
int report_audit_of_doctor(const struct profile *profile, bool ascii, unsigned width, FILE *out);
/* For the report `summary`: the audit with all its figures. */
int report_audit_full(const struct profile *profile, bool ascii, unsigned width, FILE *out);

#endif
