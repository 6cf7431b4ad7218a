/* SPDX-License-Identifier: MIT */
#include "view/layout.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/table.h"
#include "base/text.h"
#include "view/paths.h"
#include "view/wrap.h"

/* LEAST_COLUMNS: minimum width of a cell that is cut. GAP: blanks between two columns. */
enum { LEAST_COLUMNS = 12, GAP = 2 };
/* Maximum width to which names are padded if lines have no maximum width. */
enum { MOST_PADDED = 60 };

void layout_init(struct layout *layout, bool ascii, bool color)
{
	*layout = (struct layout){.ascii = ascii, .color = color};
}

void layout_release(struct layout *layout)
{
	for (size_t i = 0; i < layout->cells; i++)
		free(layout->cell[i]);
	free(layout->cell);
	free(layout->heat);
	free(layout->lead);
	*layout = (struct layout){0};
}

void layout_row(struct layout *layout, double heat)
{
	size_t rows = layout->rows;

	if (!layout->error)
		layout->error = array_add(&layout->lead, &layout->lead_room, &rows, 0);
	if (!layout->error)
		layout->error = array_add(&layout->heat, &layout->heat_room, &layout->rows, heat);
}

__attribute__((format(printf, 3, 0))) static void append(
	struct layout *layout, struct layout_column column, const char *format, va_list args)
{
	char *text, *clean;

	if (layout->error)
		return;
	if (layout->rows == 1)
		layout->column[layout->columns++] = column;
	if (vasprintf(&text, format, args) < 0) {
		layout->error = -ENOMEM;
		return;
	}
	clean = text_clean(text, layout->ascii);
	free(text);
	if (clean)
		layout->error = array_add(&layout->cell, &layout->cell_room, &layout->cells, clean);
	else
		layout->error = -ENOMEM;
	if (layout->error)
		free(clean);
}

void layout_number(struct layout *layout, const char *title, unsigned drop, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append(layout, (struct layout_column){title, LAYOUT_RIGHT, LAYOUT_WHOLE, 0, drop}, format,
		args);
	va_end(args);
}

void layout_text(struct layout *layout, const char *title, enum layout_cut cut, unsigned comfort,
	unsigned drop, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	append(layout, (struct layout_column){title, LAYOUT_LEFT, cut, comfort, drop}, format,
		args);
	va_end(args);
}

static char **cell_at(const struct layout *layout, size_t row, size_t column)
{
	return &layout->cell[row * layout->columns + column];
}

void layout_lead(struct layout *layout, size_t bytes)
{
	if (!layout->error)
		layout->lead[layout->rows - 1] = bytes;
}

/* The width of a hidden column. */
#define HIDDEN SIZE_MAX

static void measure(const struct layout *layout, size_t *widths)
{
	for (size_t c = 0; c < layout->columns; c++) {
		widths[c] = text_columns(layout->column[c].title);
		for (size_t r = 0; r < layout->rows; r++) {
			size_t columns = text_columns(*cell_at(layout, r, c));

			if (columns > widths[c])
				widths[c] = columns;
		}
	}
}

/*
 * Returns the number of columns that the table needs. With @comfort, a column that may be cut
 * counts with its preferred minimum width if it is wider.
 */
static size_t needed(const struct layout *layout, const size_t *widths, bool comfort)
{
	size_t all = 0;

	for (size_t c = 0; c < layout->columns; c++) {
		const struct layout_column *column = &layout->column[c];

		if (widths[c] == HIDDEN)
			continue;
		all += all ? GAP : 0;
		if (comfort && column->cut != LAYOUT_WHOLE && widths[c] > column->comfort)
			all += column->comfort;
		else
			all += widths[c];
	}
	return all;
}

/* Returns false if no column is left to hide. */
static bool drop_one(const struct layout *layout, size_t *widths)
{
	size_t first = layout->columns;

	for (size_t c = 0; c < layout->columns; c++) {
		if (!layout->column[c].drop || widths[c] == HIDDEN)
			continue;
		if (first == layout->columns || layout->column[c].drop < layout->column[first].drop)
			first = c;
	}
	if (first == layout->columns)
		return false;
	widths[first] = HIDDEN;
	return true;
}

/* Narrows by 1 the column that exceeds its comfort most. False: none can be narrowed. */
static bool cut_one(const struct layout *layout, size_t *widths)
{
	size_t widest = layout->columns;
	long most = 0;

	for (size_t c = 0; c < layout->columns; c++) {
		long beyond = (long)widths[c] - (long)layout->column[c].comfort;

		if (layout->column[c].cut == LAYOUT_WHOLE || widths[c] == HIDDEN ||
			widths[c] <= LEAST_COLUMNS)
			continue;
		if (widest == layout->columns || beyond > most) {
			widest = c;
			most = beyond;
		}
	}
	if (widest == layout->columns)
		return false;
	widths[widest]--;
	return true;
}

static void fit(const struct layout *layout, size_t *widths, size_t width)
{
	while (needed(layout, widths, true) > width && drop_one(layout, widths))
		;
	while (needed(layout, widths, false) > width && cut_one(layout, widths))
		;
}

static int cut_calls(const struct layout *layout, const size_t *widths)
{
	int error = 0;

	for (size_t c = 0; c < layout->columns && layout->rows && !error; c++) {
		if (layout->column[c].cut == LAYOUT_CALLS && widths[c] != HIDDEN)
			error = paths_cut(cell_at(layout, 0, c), layout->rows, layout->columns,
				widths[c], layout->ascii);
	}
	return error;
}

/*
 * Cuts a name. The first @lead bytes of the cell are the vertical lines of a tree. They stay if
 * LEAST_COLUMNS are left for the name. Otherwise they are removed, the outermost first, until that
 * many are left.
 */
static int cut_name(char **cell, size_t lead, size_t columns, bool ascii)
{
	const char *from = *cell;
	size_t least = columns < LEAST_COLUMNS ? columns : LEAST_COLUMNS;
	char *name = strdup(*cell + lead), *whole = NULL;
	size_t used, left = text_columns(*cell) - (name ? text_columns(name) : 0);
	int error = name ? 0 : -ENOMEM;

	for (; left > columns - least && from < *cell + lead; left = used) {
		const char *next = from;

		used = left - text_character_columns(text_next(&next));
		from = next;
	}
	if (!error)
		error = text_cut_name(&name, columns - left, ascii);
	if (!error && asprintf(&whole, "%.*s%s", (int)(*cell + lead - from), from, name) < 0)
		error = -ENOMEM;
	if (!error) {
		free(*cell);
		*cell = whole;
	}
	free(name);
	return error;
}

static int cut_cells(const struct layout *layout, const size_t *widths)
{
	int error = cut_calls(layout, widths);

	for (size_t r = 0; r < layout->rows; r++) {
		for (size_t c = 0; c < layout->columns && !error; c++) {
			char **cell = cell_at(layout, r, c);

			if (text_columns(*cell) <= widths[c])
				continue;
			if (layout->column[c].cut == LAYOUT_NAME)
				error = cut_name(cell, layout->lead[r], widths[c], layout->ascii);
			else if (layout->column[c].cut == LAYOUT_PATH)
				error = text_cut_path(cell, widths[c], layout->ascii);
		}
	}
	return error;
}

static void pad(size_t columns, FILE *out)
{
	fprintf(out, "%*s", (int)columns, "");
}

static void print_cell(const struct layout *layout, size_t column, const char *text,
	const size_t *widths, const char *color, FILE *out)
{
	size_t columns = text_columns(text);
	size_t space = widths[column] > columns ? widths[column] - columns : 0;
	bool last = true;

	if (widths[column] == HIDDEN)
		return;
	for (size_t c = column + 1; c < layout->columns; c++)
		last &= widths[c] == HIDDEN;
	if (layout->column[column].align == LAYOUT_RIGHT)
		pad(space, out);
	fprintf(out, "%s%s%s", color, text, color[0] ? "\033[m" : "");
	if (layout->column[column].align == LAYOUT_LEFT && !last)
		pad(space, out);
	if (!last)
		pad(GAP, out);
}

/* Prints wrapped text, with further lines indented like the first. */
static void print_prose(size_t column, const char *text, const size_t *widths, FILE *out)
{
	size_t before = 0, next;

	for (size_t c = 0; c < column; c++)
		before += widths[c] == HIDDEN ? 0 : widths[c] + GAP;
	for (const char *at = text; *at; at += next) {
		size_t bytes = wrap_piece(at, widths[column], &next);

		fprintf(out, "%s%*s%.*s", at == text ? "" : "\n", (int)(at == text ? 0 : before),
			"", (int)bytes, at);
	}
}

static const char *color_of(const struct layout *layout, double heat)
{
	if (!layout->color)
		return "";
	if (heat <= LAYOUT_GOOD)
		return "\033[32m";
	if (heat <= LAYOUT_DIM)
		return "\033[2m";
	return heat >= 0.1 ? "\033[1;31m" : heat >= 0.03 ? "\033[33m" : "";
}

/*
 * Limits the width to which cells are padded, lest a few very long names widen every line. These
 * names exceed their column.
 */
static void bound_padding(const struct layout *layout, size_t *widths)
{
	for (size_t c = 0; c < layout->columns; c++) {
		if (layout->column[c].cut != LAYOUT_WHOLE &&
			layout->column[c].cut != LAYOUT_PROSE && widths[c] > MOST_PADDED)
			widths[c] = MOST_PADDED;
	}
}

int layout_print(struct layout *layout, size_t width, FILE *out)
{
	size_t widths[LAYOUT_MAX_COLUMNS] = {0};

	if (!layout->error)
		measure(layout, widths);
	if (!layout->error && !width) {
		bound_padding(layout, widths);
	} else if (!layout->error) {
		fit(layout, widths, width);
		layout->error = cut_cells(layout, widths);
	}
	for (size_t c = 0; c < layout->columns && !layout->error; c++) {
		print_cell(layout, c, layout->column[c].title, widths,
			layout->color ? "\033[1m" : "", out);
	}
	for (size_t r = 0; r < layout->rows && !layout->error; r++) {
		fputc('\n', out);
		for (size_t c = 0; c < layout->columns; c++) {
			const char *cell = *cell_at(layout, r, c);

			if (layout->column[c].cut == LAYOUT_PROSE)
				print_prose(c, cell, widths, out);
			else
				print_cell(layout, c, cell, widths,
					c == 0 || layout->column[c].cut == LAYOUT_NAME ||
							layout->heat[r] < 0
						? color_of(layout, layout->heat[r])
						: "",
					out);
		}
	}
	if (!layout->error)
		fputc('\n', out);
	return layout->error;
}
