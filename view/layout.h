/* SPDX-License-Identifier: MIT */
/*
 * A table of aligned columns, for people. If the width is too small, first names are cut to their
 * preferred minimum width (comfort), then whole columns are dropped, then names are cut further.
 */
#ifndef VIEW_LAYOUT_H
#define VIEW_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum layout_align { LAYOUT_RIGHT, LAYOUT_LEFT };
/* WHOLE: not cut. CALLS: a call path (paths.h). PROSE: wrapped, in the last column only. */
enum layout_cut { LAYOUT_WHOLE, LAYOUT_NAME, LAYOUT_PATH, LAYOUT_CALLS, LAYOUT_PROSE };

struct layout_column {
	const char *title;
	enum layout_align align;
	enum layout_cut cut;
	unsigned comfort; /* preferred minimum width of a column that is cut */
	unsigned drop;    /* a narrow table drops the column with the lowest rank first; 0: never */
};

enum { LAYOUT_MAX_COLUMNS = 16 };

struct layout {
	struct layout_column column[LAYOUT_MAX_COLUMNS];
	size_t columns;
	char **cell; /* row by row, @columns a row */
	size_t cells;
	double *heat; /* by row: its share, 0 to 1, or LAYOUT_DIM or LAYOUT_GOOD */
	size_t *lead; /* by row: bytes in front of the name, which are not cut */
	size_t rows, cell_room, heat_room, lead_room;
	bool ascii, color;
	int error;
};

void layout_init(struct layout *layout, bool ascii, bool color);
void layout_release(struct layout *layout);

/* Values of heat: DIM for a row less important than others, GOOD for an improvement. */
#define LAYOUT_DIM  (-1.0)
#define LAYOUT_GOOD (-2.0)

/*
 * layout_row() begins a row. layout_number() appends a right-aligned cell to the row, layout_text()
 * a left-aligned one. Both copy the text without control characters. All rows have the same
 * columns. The first row defines them: the parameters between @layout and @format describe a
 * column, and are ignored in later rows.
 */
void layout_row(struct layout *layout, double heat);
__attribute__((format(printf, 4, 5))) void layout_number(
	struct layout *layout, const char *title, unsigned drop, const char *format, ...);
__attribute__((format(printf, 6, 7))) void layout_text(struct layout *layout, const char *title,
	enum layout_cut cut, unsigned comfort, unsigned drop, const char *format, ...);
/* The first @bytes of the row's name, the lines that show a tree, are cut last. */
void layout_lead(struct layout *layout, size_t bytes);

/* @width 0: names are not cut. 0, or -ENOMEM of this or an earlier call. */
int layout_print(struct layout *layout, size_t width, FILE *out);

#endif
