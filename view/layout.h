/* SPDX-License-Identifier: MIT */
/*
 * A table for people: aligned columns. If the width is too small, names are first cut to their
 * preferred minimum width (comfort), then whole columns are dropped, then names are cut further.
 */
#ifndef VIEW_LAYOUT_H
#define VIEW_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum layout_align { LAYOUT_RIGHT, LAYOUT_LEFT };
/*
 * How a cell may be cut: not at all, as a name, a file's path, or a call path (see paths.h). Prose
 * is wrapped at words instead; it may only be in the last column.
 */
enum layout_cut { LAYOUT_WHOLE, LAYOUT_NAME, LAYOUT_PATH, LAYOUT_CALLS, LAYOUT_PROSE };

struct layout_column {
	const char *title;
	enum layout_align align;
	enum layout_cut cut;
	unsigned comfort; /* preferred minimum width, if the column may be cut */
	unsigned drop;    /* rank by which columns are dropped: 1 first; 0 never */
};

enum { LAYOUT_MAX_COLUMNS = 16 };

struct layout {
	const struct layout_column *column;
	size_t columns;
	char **cell;  /* row by row; NULL: empty */
	double *heat; /* by row: its share, 0 to 1, or a special value (below) */
	size_t *lead; /* by row: bytes in front of the name, which stay when it is cut */
	size_t rows, cell_room, heat_room, lead_room;
	bool ascii, color;
	int error; /* the first error that occurred */
};

void layout_init(struct layout *layout, const struct layout_column *column, size_t columns,
	bool ascii, bool color);
void layout_release(struct layout *layout);

/* Special values of heat: a row that is less important than others, and an improvement. */
#define LAYOUT_DIM  (-1.0)
#define LAYOUT_GOOD (-2.0)

/*
 * layout_row() begins a row, and layout_set() sets its cells. @text is copied, and cleaned of
 * control characters.
 */
void layout_row(struct layout *layout, double heat);
void layout_set(struct layout *layout, size_t column, const char *text);
/*
 * Says that the first @bytes of the row's names are the lines of a tree, in ASCII or as
 * text_clean() keeps them. They stay when the names are cut.
 */
void layout_lead(struct layout *layout, size_t bytes);

/*
 * Prints the title line and the rows. If @width is 0, names are not cut, and a very long name
 * lengthens only its own line. 0, or -ENOMEM if this or an earlier call ran out of memory.
 */
int layout_print(struct layout *layout, size_t width, FILE *out);

#endif
