/* SPDX-License-Identifier: MIT */
/*
 * Reports: functions that write text about a profile. The user chooses a report by its name in a
 * table (report_find()). Reports know no pids, pipes or ptrace. `sprofreport` calls them, and
 * `sprofrun` does when the profiled program has ended.
 */
#ifndef VIEW_REPORT_REPORT_H
#define VIEW_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "view/options.h"

struct profile;

/*
 * Prints a report. Returns 0; -ENOMEM; -EINVAL if a pattern of the options is no regular
 * expression, or the value type does not exist; -ENOENT if no function, or several, has the given
 * name; -ENODATA if the report needs a time line, and the profile has none; or -EFBIG if the call
 * tree has too many nodes. With -EINVAL, -ENOENT and -ENODATA, *@ret_problem is a sentence, which
 * the caller frees; a list of names may follow it, a line each. The caller checks for write errors
 * (ferror).
 */
typedef int report_print(const struct profile *profile, const struct report_options *options,
	FILE *out, char **ret_problem);

struct report {
	const char *name;        /* "flat" */
	const char *help;        /* one line */
	bool wants_function;     /* needs options->function */
	double text_min_percent; /* default of min_percent in text */
	report_print *print;     /* NULL: the report compares two sides */
	/*
	 * Called instead of print() for two sides; NULL: the report cannot compare. Returns what
	 * print() returns, or 1 if something is slower by more than options->fail_above:
	 * *@ret_problem then lists what is slower, and the caller frees it.
	 */
	int (*print_sides)(const struct report_sides *sides, const struct report_options *options,
		FILE *out, char **ret_problem);
};

/* NULL: no report has the name. */
const struct report *report_find(const char *name);
/* NULL: past the end of the table. */
const struct report *report_at(size_t index);

/* The print() functions in the table of report.c, each in a file of its own. */
report_print annotate_print;
report_print balance_print;
report_print callers_print;
report_print doctor_print;
report_print listing_print_flat;
report_print listing_print_lines;
report_print summary_print;
report_print timeline_print;
report_print tree_report_print;

enum report_audit_kind {
	REPORT_AUDIT_LINE,      /* a line of figures */
	REPORT_AUDIT_OF_DOCTOR, /* a line of figures, which does not recommend `doctor` */
	REPORT_AUDIT_FULL       /* all figures */
};

/*
 * Prints the audit, the end of every text report: figures, a sentence for each thing that is wrong,
 * and the notes. With @width 0, lines are not wrapped. 0 or -ENOMEM.
 */
int report_audit(const struct profile *profile, enum report_audit_kind kind, bool ascii,
	unsigned width, FILE *out);

#endif
