/* SPDX-License-Identifier: MIT */
/* Shared by the files that print the text form of `annotate`: annotate_row.c, annotate_text.c. */
#ifndef VIEW_REPORT_ANNOTATE_TEXT_H
#define VIEW_REPORT_ANNOTATE_TEXT_H

#include "base/text.h"
#include "view/report/annotate.h"
#include "view/source.h"

/* Widths of columns. LEAST_TEXT: the least columns for source. */
enum {
	ANNOTATE_LEAST_TEXT = 16,
	ANNOTATE_SHARE_COLUMNS = 12,
	ANNOTATE_TOTAL_COLUMNS = 8,
	ANNOTATE_TIME_COLUMNS = 11,
	ANNOTATE_LINE_COLUMNS = 7
};

struct annotate_printing {
	struct annotate *annotate;
	const struct report_options *options;
	struct text_scale scale;
	struct source source;
	size_t indent; /* the common indent of all lines, which is removed */
	size_t *order; /* order of lines: by file, then by number */
	/* First line of the function in the current file; 0: none. Context does not precede it. */
	uint32_t declared;
	bool wide;      /* times are shown */
	bool has_lines; /* a line of some file is known */
	FILE *out;
};

/* Prints a cell, right-aligned by its columns on the terminal, not by its bytes. */
void annotate_put_cell(const struct annotate_printing *p, const char *text, size_t columns);
/* Returns the number of columns before the source text. */
size_t annotate_columns_before(const struct annotate_printing *p);
/* Returns a name cut to @columns, which the caller frees; NULL: out of memory. */
char *annotate_short_name(const struct annotate_printing *p, const char *name, size_t columns);
/*
 * Prints one row: values, line number, and the text, which is cut to the width. @style: an escape
 * sequence for the text, or "". 0 or -ENOMEM.
 */
int annotate_put_row(const struct annotate_printing *p, const struct row *row, bool total,
	uint32_t line, const char *style, const char *text);
/* Prints the functions that are inlined in the line at index @line. 0 or -ENOMEM. */
int annotate_put_inlined(const struct annotate_printing *p, size_t line, size_t indent);
/*
 * Prints the instructions of the line at index @line; ANNOTATE_NO_LINE: those without a line. 0 or
 * -ENOMEM.
 */
int annotate_put_instructions(const struct annotate_printing *p, uint32_t line);

#endif
