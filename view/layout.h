/* SPDX-License-Identifier: MIT */
/*
 * A table for people: aligned columns. When the width is short, names are cut down to their
 * comfort, then whole columns are left out, then names are cut further.
 */
#ifndef VIEW_LAYOUT_H
#define VIEW_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum layout_align { LAYOUT_RIGHT, LAYOUT_LEFT };
enum layout_cut { LAYOUT_WHOLE, LAYOUT_NAME, LAYOUT_PATH }; /* how a cell may be cut */

struct layout_column {
	const char *title;
	enum layout_align align;
	enum layout_cut cut;
	unsigned comfort; /* columns that it should have, if it may be cut and is that wide */
	unsigned drop;    /* goes before the others lose their comfort: 1 first; 0 never */
};

enum { LAYOUT_MAX_COLUMNS = 16 };

struct layout {
	const struct layout_column *column;
	size_t columns;
	char **cell;  /* row by row */
	double *heat; /* by row: its share, 0 to 1 */
	size_t rows, cell_room, heat_room;
	bool ascii, color;
	int error; /* the first one; sticky */
};

void layout_init(struct layout *layout, const struct layout_column *column, size_t columns,
	bool ascii, bool color);
void layout_release(struct layout *layout);

/* Heats that are none: a row that is less than the others, and one that is good. */
#define LAYOUT_DIM  (-1.0)
#define LAYOUT_GOOD (-2.0)

/* Begins a row; the cells are then set. They are cleaned and copied. */
void layout_row(struct layout *layout, double heat);
void layout_set(struct layout *layout, size_t column, const char *text);

/*
 * Title line and rows. @width 0 is unlimited: names are whole then, and where one is very long,
 * only its own line is. Returns the sticky error.
 */
int layout_print(struct layout *layout, size_t width, FILE *out);

#endif
