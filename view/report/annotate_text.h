/* SPDX-License-Identifier: MIT */
/* Shared by annotate_row.c and annotate_text.c, which print the text form of `annotate`. */
#ifndef VIEW_REPORT_ANNOTATE_TEXT_H
#define VIEW_REPORT_ANNOTATE_TEXT_H

#include "base/text.h"
#include "view/report/annotate.h"
#include "view/source.h"

/* Widths of columns. LEAST_TEXT: the minimum for source text. */
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
	size_t indent; /* common indent of all lines, which is removed */
	size_t *order; /* indexes of lines, sorted by file and number */
	/* The function's first line in the current file; 0: none. No context precedes it. */
	uint32_t declared;
	bool wide;
	bool has_lines; /* some line has a known number */
	FILE *out;
};

/* Prints @text right-aligned by its columns on the terminal, not by its bytes. */
void annotate_put_cell(const struct annotate_printing *p, const char *text, size_t columns);
/* Returns the width of the columns before the source text. */
size_t annotate_columns_before(const struct annotate_printing *p);
/* Returns @name, cut to @columns, which the caller frees; NULL: out of memory. */
char *annotate_short_name(const struct annotate_printing *p, const char *name, size_t columns);
/* Prints a row; @text is cut to the width. @style: an escape sequence, or "". 0 or -ENOMEM. */
int annotate_put_row(const struct annotate_printing *p, const struct row *row, bool total,
	uint32_t line, const char *style, const char *text);
/* Prints the functions inlined in the line at index @line. 0 or -ENOMEM. */
int annotate_put_inlined(const struct annotate_printing *p, size_t line, size_t indent);
/* Prints the instructions of the line @line, or (ANNOTATE_NO_LINE) of no line. 0 or -ENOMEM. */
int annotate_put_instructions(const struct annotate_printing *p, uint32_t line);

#endif
