/* SPDX-License-Identifier: MIT */
/* The sentences of the audit, one for each thing that is wrong; audit_line.c prints its figures. */
#ifndef VIEW_REPORT_AUDIT_REMARKS_H
#define VIEW_REPORT_AUDIT_REMARKS_H

#include <stdbool.h>
#include <stdio.h>

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

void audit_print_remarks(struct auditing *a);

#endif
