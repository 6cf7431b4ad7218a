/* SPDX-License-Identifier: MIT */
#include "view/live/screen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int screen_resize(struct screen *screen, unsigned rows, unsigned columns)
{
	struct screen_cell *cell;

	rows = rows < 1 ? 1 : rows > SCREEN_ROWS_MOST ? SCREEN_ROWS_MOST : rows;
	columns = columns < 1 ? 1 : columns > SCREEN_COLUMNS_MOST ? SCREEN_COLUMNS_MOST : columns;
	if (rows != screen->rows || columns != screen->columns || !screen->cell) {
		cell = reallocarray(screen->cell, (size_t)rows * columns, sizeof(*cell));
		if (!cell)
			return -ENOMEM;
		screen->cell = cell;
		screen->rows = rows;
		screen->columns = columns;
	}
	screen_clear(screen);
	return 0;
}

void screen_release(struct screen *screen)
{
	free(screen->cell);
	*screen = (struct screen){0};
}

void screen_clear_row(struct screen *screen, unsigned row)
{
	for (unsigned i = 0; row < screen->rows && i < screen->columns; i++)
		screen->cell[(size_t)row * screen->columns + i] =
			(struct screen_cell){' ', STYLE_TEXT};
}

void screen_clear(struct screen *screen)
{
	for (unsigned row = 0; row < screen->rows; row++)
		screen_clear_row(screen, row);
	screen->cursor_row = screen->cursor_column = -1;
}

int screen_copy(struct screen *to, const struct screen *from)
{
	int r = screen_resize(to, from->rows, from->columns);

	if (r < 0)
		return r;
	memcpy(to->cell, from->cell, (size_t)from->rows * from->columns * sizeof(*from->cell));
	to->ascii = from->ascii;
	to->cursor_row = from->cursor_row;
	to->cursor_column = from->cursor_column;
	return 0;
}

static int32_t safe(const struct screen *screen, int32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0) || (screen->ascii && c >= 0x80))
		return '?';
	return c;
}

unsigned screen_put(struct screen *screen, unsigned row, unsigned column, unsigned columns,
	unsigned style, const char *text)
{
	unsigned at = column, end = screen->columns;
	struct screen_cell *cell;

	if (row >= screen->rows || column >= screen->columns)
		return 0;
	if (columns < end - column)
		end = column + columns;
	cell = screen->cell + (size_t)row * screen->columns;
	while (*text && at < end) {
		int32_t c = safe(screen, text_next(&text));
		unsigned wide = text_character_columns(c);

		if (!wide)
			continue;
		if (at + wide > end)
			break;
		cell[at++] = (struct screen_cell){c, (uint8_t)style};
		if (wide == 2)
			cell[at++] = (struct screen_cell){0, (uint8_t)style};
	}
	return at - column;
}

unsigned screen_put_right(struct screen *screen, unsigned row, unsigned end, unsigned columns,
	unsigned style, const char *text)
{
	size_t wide = text_columns(text);
	unsigned n = wide < columns ? (unsigned)wide : columns;

	if (n > end)
		n = end;
	return screen_put(screen, row, end - n, n, style, text);
}

void screen_restyle(
	struct screen *screen, unsigned row, unsigned column, unsigned columns, unsigned style)
{
	for (unsigned i = column; row < screen->rows && i < screen->columns && i - column < columns;
		i++) {
		struct screen_cell *cell = &screen->cell[(size_t)row * screen->columns + i];

		if (style >= STYLE_ON_BAR)
			cell->style |= (uint8_t)style;
		else
			cell->style = (uint8_t)style;
	}
}

static unsigned used_columns(const struct screen *screen, unsigned row)
{
	const struct screen_cell *cell = screen->cell + (size_t)row * screen->columns;
	unsigned n = screen->columns;

	while (n && cell[n - 1].character == ' ')
		n--;
	return n;
}

void screen_print(const struct screen *screen, FILE *out)
{
	unsigned rows = screen->rows;

	while (rows && !used_columns(screen, rows - 1))
		rows--;
	for (unsigned row = 0; row < rows; row++) {
		const struct screen_cell *cell = screen->cell + (size_t)row * screen->columns;
		unsigned n = used_columns(screen, row);
		char utf8[TEXT_UTF8_BYTES];

		for (unsigned i = 0; i < n; i++) {
			if (cell[i].character)
				(void)fwrite(utf8, 1, text_encode(cell[i].character, utf8), out);
		}
		(void)fputc('\n', out);
	}
}
