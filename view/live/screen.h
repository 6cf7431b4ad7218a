/* SPDX-License-Identifier: MIT */
/*
 * A table of characters with styles, drawn by the live view without a terminal; painted on a
 * terminal, printed by batch mode, or checked by tests.
 */
#ifndef VIEW_LIVE_SCREEN_H
#define VIEW_LIVE_SCREEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum screen_style {
	STYLE_TEXT,
	STYLE_DIM, /* noise, secondary text */
	STYLE_BOLD,
	STYLE_HEADER, /* column titles */
	STYLE_SORTED, /* title of the sort column */
	STYLE_HOT,    /* shares, greatest first */
	STYLE_WARM,
	STYLE_MILD,
	STYLE_GOOD, /* states */
	STYLE_WARN,
	STYLE_BAD,
	STYLE_ACCENT, /* what the eye should find first in a line: keys, names of views */
	STYLES,
	/* Flags, to be combined with any style above. */
	STYLE_ON_BAR = 0x20,   /* on the background of the first and last line */
	STYLE_SELECTED = 0x40, /* the cursor's line */
	STYLE_MATCH = 0x80,    /* a match of the search */
};

struct screen_cell {
	int32_t character; /* 0: the right half of a wide character */
	uint8_t style;
};

enum { SCREEN_ROWS_MOST = 512, SCREEN_COLUMNS_MOST = 1024 };

struct screen {
	unsigned rows, columns;
	bool ascii;                    /* no characters beyond ASCII */
	int cursor_row, cursor_column; /* an input line's cursor; -1: invisible */
	struct screen_cell *cell;      /* row by row */
};

/*
 * Sets the size of @screen, which may be zeroed memory, and makes all cells blanks. @rows is
 * limited to SCREEN_ROWS_MOST, @columns to SCREEN_COLUMNS_MOST. 0; -ENOMEM: the screen is
 * unchanged.
 */
int screen_resize(struct screen *screen, unsigned rows, unsigned columns);
void screen_release(struct screen *screen);
void screen_clear(struct screen *screen);
void screen_clear_row(struct screen *screen, unsigned row);
/* @to may have any size. 0; -ENOMEM: @to is unchanged. */
int screen_copy(struct screen *to, const struct screen *from);

/*
 * Puts @text at a position. The text is cut after @columns columns, and at the screen's edge.
 * Characters that are unsafe for a terminal become '?'. Returns the number of columns used.
 */
unsigned screen_put(struct screen *screen, unsigned row, unsigned column, unsigned columns,
	unsigned style, const char *text);
/* As screen_put(), but @text ends before column @end. */
unsigned screen_put_right(struct screen *screen, unsigned row, unsigned end, unsigned columns,
	unsigned style, const char *text);
/* Sets the style of cells of a row, or adds a flag to it. */
void screen_restyle(
	struct screen *screen, unsigned row, unsigned column, unsigned columns, unsigned style);

/* Prints plain text, without blanks at line ends and blank lines at the end. */
void screen_print(const struct screen *screen, FILE *out);

#endif
