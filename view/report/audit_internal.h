/* SPDX-License-Identifier: MIT */
/*
 * The audit, in four files: the line with the most important figures (audit_line.c), all figures
 * (audit_figures.c), a sentence for each thing that is wrong (audit_remarks.c), and one about page
 * faults (audit_faults.c).
 */
#ifndef VIEW_REPORT_AUDIT_INTERNAL_H
#define VIEW_REPORT_AUDIT_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct audit_found;
struct profile;

struct auditing {
	const struct profile *profile;
	FILE *out;
	bool ascii; /* write the plus-minus sign as "+-" */
	bool begun; /* the current line has text already */
};

/* Begins the next figure of a line: prints @begin if it is the first, a comma otherwise. */
void audit_separate(struct auditing *a, const char *begin);
/* Ends the line, unless it has no text. */
void audit_end_line(struct auditing *a);

/* Prints "cost 0.93 %" and @of_what; nothing if the cost is unknown. */
void audit_print_cost(struct auditing *a, const char *of_what);
/* Prints "3 of 5 threads left out, with 1.23 s of CPU time"; nothing if none was left out. */
void audit_print_choice(struct auditing *a);
/* Prints "found 99.2 % ± 1.1"; ± is half the width of the 95 % confidence interval. */
void audit_print_found(struct auditing *a, const struct audit_found *found);
/*
 * Prints "unresolved 29 (10.0 %)": @text, @n, and its share of @samples, or no share if that is 0.
 * The caller adds lost samples to @samples, as they are not among those of the profile.
 */
void audit_print_loss(struct auditing *a, const char *text, uint64_t n, uint64_t samples);

/* Prints all figures, in several lines. */
void audit_print_figures(struct auditing *a);
/* Prints what is wrong with the figures, a sentence each. */
void audit_print_remarks(struct auditing *a);

#endif
