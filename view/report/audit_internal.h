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
struct audit_loss {
	const char *key, *text;
	bool always; /* print it even if it is 0 */
};

/*
 * Prints each of @losses that is not 0, or is to be printed always, as "unresolved 29 (10.0 %)",
 * the first one of a line after @begin. The first loss is the lost samples; the three after it
 * count samples, too. Those four are shown with their share of all samples. Returns how many it
 * printed.
 */
size_t audit_print_losses(
	struct auditing *a, const char *begin, const struct audit_loss *losses, size_t count);

/* Prints all figures, in several lines. */
void audit_print_figures(struct auditing *a);
/* Prints what is wrong with the figures, a sentence each. */
void audit_print_remarks(struct auditing *a);

#endif
