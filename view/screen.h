/* SPDX-License-Identifier: MIT */
/*
 * A screen as a table of characters with styles, computed without a terminal: what the live view
 * draws into, what a terminal paints, what batch mode prints, and what tests look at.
 */
#ifndef VIEW_SCREEN_H
#define VIEW_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum screen_style {
	STYLE_TEXT,
	STYLE_DIM, /* of little weight: noise, what is beside the point */
	STYLE_BOLD,
	STYLE_HEADER, /* titles of columns */
	STYLE_SORTED, /* the title of the column that is sorted by */
	STYLE_HOT,    /* shares, from the greatest on */
	STYLE_WARM,
	STYLE_MILD,
	STYLE_GOOD, /* states */
	STYLE_WARN,
	STYLE_BAD,
	STYLE_ACCENT, /* what is to be seen first of a line: keys, names of views */
	STYLES,
	/* May be added to any. */
	STYLE_ON_BAR = 0x20,   /* on the background of the first and last line */
	STYLE_SELECTED = 0x40, /* the line that the cursor is on */
	STYLE_MATCH = 0x80,    /* it is what was searched for */
};

struct screen_cell {
	int32_t character; /* 0: the right half of a wide one */
	uint8_t style;
};

enum { SCREEN_ROWS_MOST = 512, SCREEN_COLUMNS_MOST = 1024 };

struct screen {
	unsigned rows, columns;
	bool ascii;                    /* no character beyond ASCII */
	int cursor_row, cursor_column; /* of a line that is typed; -1: none is shown */
	struct screen_cell *cell;      /* row by row */
};

/* On a zeroed structure or a screen; all cells become blanks. Sizes are bounded. -ENOMEM: as it
 * was. */
int screen_resize(struct screen *screen, unsigned rows, unsigned columns);
void screen_release(struct screen *screen);
void screen_clear(struct screen *screen);
/* Makes @to, of any size, equal to @from. -ENOMEM. */
int screen_copy(struct screen *to, const struct screen *from);

/*
 * Puts @text at a place, at most @columns columns of it and none beyond the edge; returns the
 * columns that it took. What a terminal must not be given becomes '?'.
 */
unsigned screen_put(struct screen *screen, unsigned row, unsigned column, unsigned columns,
	unsigned style, const char *text);
/* The same, so that it ends before @end. */
unsigned screen_put_right(struct screen *screen, unsigned row, unsigned end, unsigned columns,
	unsigned style, const char *text);
/* Gives cells a style, or adds what may be added to any. */
void screen_restyle(
	struct screen *screen, unsigned row, unsigned column, unsigned columns, unsigned style);

/* Plain text: lines without trailing blanks, without the blank lines at the end. */
void screen_print(const struct screen *screen, FILE *out);

#endif
