/* SPDX-License-Identifier: MIT */
/*
 * The audit, in three files: the line with the most important figures (audit_line.c), all figures
 * (audit_figures.c), and a sentence for each thing that is wrong (audit_remarks.c).
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
	bool ascii; /* "+-" for a plus-minus sign */
	bool begun; /* the line has text already */
};

/* Begins the next figure of a line: @begin for the first, a comma for others. */
void audit_separate(struct auditing *a, const char *begin);
/* Ends a line, if it has text. */
void audit_end_line(struct auditing *a);

/* Prints "cost 0.93 %" and @of_what; nothing if it is unknown. */
void audit_print_cost(struct auditing *a, const char *of_what);
/* Prints "3 of 5 threads left out, with 1.23 s of CPU time"; nothing if none was left out. */
void audit_print_choice(struct auditing *a);
/* Prints "found 99.2 % ± 1.1"; ± is half the 95 % confidence interval. */
void audit_print_found(struct auditing *a, const struct audit_found *found);
/*
 * Prints "unresolved 29 (10.0 %)". The share is of @samples, the number of samples in the profile,
 * and of @n too if those are not among them; @samples 0: without a share.
 */
void audit_print_loss(struct auditing *a, const char *text, uint64_t n, uint64_t samples);

/* Prints all that is known of the sampling, in several lines. */
void audit_print_figures(struct auditing *a);
/* Prints what is wrong with the figures, a sentence each. */
void audit_print_remarks(struct auditing *a);

#endif
