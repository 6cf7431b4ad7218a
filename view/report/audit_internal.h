/* SPDX-License-Identifier: MIT */
/*
 * The audit: its most important figures (audit_line.c), all figures (audit_figures.c), and a
 * sentence for each thing that is wrong (audit_remarks.c) or about page faults (audit_faults.c).
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
	bool ascii; /* "+-" instead of the plus-minus sign */
	bool begun; /* the current line has text */
};

/* Prints @begin before a line's first figure, a comma before each further one. */
void audit_separate(struct auditing *a, const char *begin);
void audit_end_line(struct auditing *a);

/* Prints "cost 0.93 %" and @of_what; nothing if the cost is unknown. */
void audit_print_cost(struct auditing *a, const char *of_what);
/* Prints "3 of 5 threads left out, with 1.23 s of CPU time"; nothing if none was left out. */
void audit_print_choice(struct auditing *a);
/* Prints "found 99.2 % ± 1.1": ± half the width of the 95 % confidence interval. */
void audit_print_found(struct auditing *a, const struct audit_found *found);
struct audit_loss {
	const char *key, *text;
	bool always; /* printed also if it is 0 */
};

/*
 * Prints each of @losses that is not 0 or has @always as "unresolved 29 (10.0 %)", with @begin
 * before the first of a line. @losses[0] to [3] are numbers of samples, [0] that of the lost ones,
 * and are printed with their share of all samples. Returns how many it printed.
 */
size_t audit_print_losses(
	struct auditing *a, const char *begin, const struct audit_loss *losses, size_t count);

void audit_print_figures(struct auditing *a);
void audit_print_remarks(struct auditing *a);

#endif
