/* SPDX-License-Identifier: MIT */
/*
 * A table for people: aligned columns. If the width is too small, names are first cut to their
 * comfort, then whole columns are dropped, then names are cut further.
 */
#ifndef VIEW_LAYOUT_H
#define VIEW_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum layout_align { LAYOUT_RIGHT, LAYOUT_LEFT };
/*
 * How a cell may be cut (calls: see paths.h); prose, only in the last column, is wrapped at words
 * instead.
 */
enum layout_cut { LAYOUT_WHOLE, LAYOUT_NAME, LAYOUT_PATH, LAYOUT_CALLS, LAYOUT_PROSE };

struct layout_column {
	const char *title;
	enum layout_align align;
	enum layout_cut cut;
	unsigned comfort; /* preferred minimum width, if the column may be cut */
	unsigned drop;    /* dropped before others are cut below their comfort: 1 first; 0 never */
};

enum { LAYOUT_MAX_COLUMNS = 16 };

struct layout {
	const struct layout_column *column;
	size_t columns;
	char **cell;  /* row by row */
	double *heat; /* by row: its share, 0 to 1 */
	size_t *lead; /* by row: bytes in front of the name that are not cut */
	size_t rows, cell_room, heat_room, lead_room;
	bool ascii, color;
	int error; /* the first error that occurred */
};

void layout_init(struct layout *layout, const struct layout_column *column, size_t columns,
	bool ascii, bool color);
void layout_release(struct layout *layout);

/* Special values of heat: a row less important than others, and a good one. */
#define LAYOUT_DIM  (-1.0)
#define LAYOUT_GOOD (-2.0)

/* Begins a row; then its cells are set. They are sanitized and copied. */
void layout_row(struct layout *layout, double heat);
void layout_set(struct layout *layout, size_t column, const char *text);
/*
 * The first @bytes of the row's names are the lines of a tree, in ASCII or as text_clean() keeps
 * them, and stay when the names are cut.
 */
void layout_lead(struct layout *layout, size_t bytes);

/*
 * Prints the title line and the rows. @width 0 is unlimited: names are not cut, and a very long
 * name lengthens only its own line. Returns the sticky error.
 */
int layout_print(struct layout *layout, size_t width, FILE *out);

#endif
