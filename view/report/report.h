/* SPDX-License-Identifier: MIT */
/*
 * Reports: write text about a profile. Each report is an entry of a const table, chosen by name.
 * They know no pids, pipes or ptrace; `sprofreport` and the end of `sprofrun` call the same ones.
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
	 * Writes the report. -EINVAL: a pattern of the options is not a regular expression;
	 * -ENOENT: no such function, or several; @ret_problem is then set to a sentence, which may
	 * end with a list of a name a line (freed by the caller), otherwise unchanged. The caller
	 * checks for write errors (ferror).
	 */
	int (*print)(const struct profile *profile, const struct report_options *options, FILE *out,
		char **ret_problem);
	/*
	 * If not NULL, used instead of print, for two sides. 1: the condition of
	 * options->fail_above is met; @ret_problem then says by what.
	 */
	int (*print_sides)(const struct report_sides *sides, const struct report_options *options,
		FILE *out, char **ret_problem);
};

/* The report called @name; NULL: none. */
const struct report *report_find(const char *name);
/* The @index-th report, NULL past the end. */
const struct report *report_at(size_t index);

/*
 * The audit: one line of figures, a sentence for each thing that is wrong, and the notes. The end
 * of every text report. Wrapped to @width columns, unless that is 0. 0 or -ENOMEM.
 */
int report_audit_line(const struct profile *profile, bool ascii, unsigned width, FILE *out);
/* Prints the end of doctor: the audit without a recommendation of doctor. */
int report_audit_of_doctor(const struct profile *profile, bool ascii, unsigned width, FILE *out);
/* Prints the end of summary: the audit with all figures. */
int report_audit_full(const struct profile *profile, bool ascii, unsigned width, FILE *out);

#endif
