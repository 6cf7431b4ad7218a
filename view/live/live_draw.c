/* SPDX-License-Identifier: MIT */
/* Draws the current view: head, column titles, rows, and a last line. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/live/live_internal.h"

struct place_of_column {
	const struct live_column *column;
	int index;
	unsigned at, width;
};

static bool is_left(enum live_column_kind kind)
{
	return kind == COLUMN_NAME || kind == COLUMN_OBJECT || kind == COLUMN_PLACE ||
		kind == COLUMN_LAST || kind == COLUMN_BAR || kind == COLUMN_CODE ||
		kind == COLUMN_RELATION;
}

/* A text is still useful when cut, a figure is not. */
static bool may_be_cut(const struct live_column *column)
{
	return column->width == 0 || column->kind == COLUMN_NAME || column->kind == COLUMN_PLACE ||
		column->kind == COLUMN_OBJECT;
}

/* Chooses the columns that fit, and their positions. Returns their number. */
static size_t lay_out(
	const struct live_view_ops *view, unsigned columns, struct place_of_column *to)
{
	unsigned fixed = 1, flexible = 0, at = 1;
	size_t n = 0;

	for (size_t i = 0; i < view->columns; i++) {
		const struct live_column *column = &view->column[i];
		unsigned width = column->width;

		if (!live_column_shown(column, columns))
			continue;
		if (column->kind == COLUMN_OBJECT || column->kind == COLUMN_PLACE ||
			(column->kind == COLUMN_NAME && width))
			width += columns > 100 ? (columns - 100) / 8 : 0;
		to[n++] = (struct place_of_column){column, (int)i, 0, width};
		fixed += width + (n > 1 ? 2 : 0);
	}
	flexible = columns > fixed + 4 ? columns - fixed - 1 : 4;
	for (size_t i = 0; i < n; i++) {
		if (!to[i].width)
			to[i].width = flexible;
		if (at + to[i].width > columns && !may_be_cut(to[i].column))
			return i;
		to[i].at = at;
		at += to[i].width + 2;
	}
	return n;
}

static void draw_titles(struct live *live, struct screen *screen, unsigned row,
	const struct place_of_column *place, size_t n)
{
	const struct live_page *page = live_page(live);
	const struct live_view_ops *view = &live_views[page->view];
	int sort = page->sort >= 0 ? page->sort : view->sort;

	screen_restyle(screen, row, 0, screen->columns, STYLE_HEADER);
	live->headers = 0;
	live->header_row = row;
	for (size_t i = 0; i < n; i++) {
		bool sorted = place[i].index == sort && page->view != LIVE_TREE;
		const char *title = live_column_title(live, place[i].column);
		unsigned style = sorted ? STYLE_SORTED : STYLE_HEADER;

		if (live->options.ascii && (uint8_t)title[0] >= 0x80)
			title = "+-";
		if (is_left(place[i].column->kind))
			(void)screen_put(screen, row, place[i].at, place[i].width, style, title);
		else
			(void)screen_put_right(screen, row, place[i].at + place[i].width,
				place[i].width, style, title);
		if (sorted && title[0])
			screen_restyle(screen, row, place[i].at, place[i].width, STYLE_SORTED);
		live->header[live->headers].from = place[i].at;
		live->header[live->headers].to = place[i].at + place[i].width;
		live->header[live->headers++].column = place[i].index;
	}
}

/*
 * Cuts a name or path to @width columns. If the user has shifted the names to the left, leaves out
 * that many columns at the beginning instead.
 */
static int draw_name(struct live *live, struct screen *screen, unsigned row, unsigned at,
	unsigned width, unsigned style, const char *text, bool is_path)
{
	size_t shift = live_page(live)->shift;
	char *cut = strdup(text);
	const char *from = cut;
	int r = cut ? 0 : -ENOMEM;

	if (r == 0 && !shift)
		r = is_path ? text_cut_path(&cut, width ? width : 1, live->options.ascii)
			    : text_cut_name(&cut, width ? width : 1, live->options.ascii);
	from = cut;
	for (size_t i = 0; r == 0 && i < shift && *from; i++)
		(void)text_next(&from);
	if (r == 0)
		(void)screen_put(screen, row, at, width, style, from);
	free(cut);
	return r;
}

static int draw_tree_name(struct live *live, struct screen *screen, unsigned row,
	const struct place_of_column *place, unsigned style, const struct live_row *line)
{
	static const char *const marks[2][3] = {
		{"\xc2\xb7 ", "\xe2\x96\xbe ", "\xe2\x96\xb8 "}, {"  ", "- ", "+ "}};
	unsigned at = place->at, end = place->at + place->width, indent = line->indent * 2;

	/* A deep node's indent begins anew at the left edge: its name needs at least 20 columns. */
	if (place->width > 24)
		indent %= place->width - 20;
	at += indent;
	at += screen_put(screen, row, at, 2, line->fold == LIVE_LEAF ? STYLE_DIM : STYLE_ACCENT,
		marks[live->options.ascii][line->fold]);
	return draw_name(live, screen, row, at, end > at ? end - at : 1, style, line->name, false);
}

/* Draws "file.c:123", cut if too long. */
static void draw_place(struct live *live, struct screen *screen, unsigned row,
	const struct place_of_column *place, unsigned style, const struct live_row *line)
{
	char text[LIVE_TEXT_BYTES];

	if (line->text && line->line)
		(void)snprintf(text, sizeof(text), "%s:%u", text_basename(line->text), line->line);
	else
		(void)snprintf(
			text, sizeof(text), "%s", line->text ? text_basename(line->text) : "?");
	(void)draw_name(live, screen, row, place->at, place->width, style, text, true);
}

static int draw_cell(struct live *live, struct screen *screen, unsigned row,
	const struct place_of_column *place, const struct live_row *line, unsigned base)
{
	enum live_column_kind kind = place->column->kind;
	bool tree = live_page(live)->view == LIVE_TREE;
	char text[64];
	unsigned style;

	switch (kind) {
	case COLUMN_NAME:
		if (tree)
			return draw_tree_name(live, screen, row, place, base, line);
		return draw_name(live, screen, row, place->at, place->width, base,
			line->name ? line->name : "", live_page(live)->view == LIVE_OBJECTS);
	case COLUMN_OBJECT:
		return draw_name(live, screen, row, place->at, place->width, STYLE_DIM,
			line->object ? text_basename(line->object) : "", true);
	case COLUMN_PLACE: draw_place(live, screen, row, place, base, line); return 0;
	case COLUMN_LAST:
		return draw_name(live, screen, row, place->at, place->width, base,
			line->text ? line->text : "", false);
	case COLUMN_CODE:
		text[0] = '\0';
		if (line->text) {
			const char *from = line->text;

			for (size_t i = 0; i < live_page(live)->shift && *from; i++)
				(void)text_next(&from);
			(void)screen_put(screen, row, place->at, place->width, base, from);
		}
		return 0;
	default: break;
	}
	style = live_format(live, line, place->column, text, sizeof(text));
	if (base == STYLE_DIM)
		style = base;
	if (is_left(kind))
		(void)screen_put(screen, row, place->at, place->width, style, text);
	else
		(void)screen_put_right(
			screen, row, place->at + place->width, place->width, style, text);
	return 0;
}

static unsigned style_of_row(const struct live *live, const struct live_row *row)
{
	const struct live_page *page = &live->page[live->pages - 1];

	if (page->view == LIVE_THREADS)
		return row->now > 0.0005 ? STYLE_TEXT : STYLE_DIM;
	if (live_views[page->view].is_text)
		return row->self > 0 ? live_heat(live, row->self) : STYLE_TEXT;
	if (row->relation == LIVE_ITSELF)
		return STYLE_BOLD;
	return live_is_noise(live, row) ? STYLE_DIM : STYLE_TEXT;
}

/* Underlines the cells that the search considers, in a matching row. */
static void mark_match(struct live *live, struct screen *screen, unsigned at,
	const struct live_row *row, const struct place_of_column *place, size_t places)
{
	if (!live->has_search || !live_matches(live, row, true))
		return;
	for (size_t i = 0; i < places; i++) {
		enum live_column_kind kind = place[i].column->kind;

		if (kind == COLUMN_NAME || kind == COLUMN_OBJECT || kind == COLUMN_CODE ||
			kind == COLUMN_PLACE || kind == COLUMN_LAST)
			screen_restyle(screen, at, place[i].at, place[i].width, STYLE_MATCH);
	}
}

static int draw_rows(struct live *live, struct screen *screen, unsigned first, unsigned n,
	const struct place_of_column *place, size_t places)
{
	struct live_page *page = live_page(live);
	bool cursor = !live->options.batch && !live_views[page->view].is_prose;

	if (live_views[page->view].is_prose)
		page->cursor = page->top;
	if (page->cursor < page->top)
		page->top = page->cursor;
	if (page->cursor >= page->top + n)
		page->top = page->cursor + 1 - n;
	if (page->top + n > live->table.n)
		page->top = live->table.n > n ? live->table.n - n : 0;
	for (unsigned i = 0; i < n && page->top + i < live->table.n; i++) {
		const struct live_row *row = &live->table.row[page->top + i];
		unsigned base = style_of_row(live, row);

		for (size_t j = 0; j < places; j++) {
			int r = draw_cell(live, screen, first + i, &place[j], row, base);

			if (r < 0)
				return r;
		}
		mark_match(live, screen, first + i, row, place, places);
		if (cursor && page->top + i == page->cursor)
			screen_restyle(screen, first + i, 0, screen->columns, STYLE_SELECTED);
	}
	live->rows_first = first;
	live->rows_shown = n;
	return 0;
}

static const char *why_empty(const struct live *live, const struct live_page *page)
{
	if (page->problem)
		return page->problem;
	if (live->table.of && live->bad_filter[0])
		return live->bad_filter;
	if (live->table.of)
		return "nothing matches (\\ changes the filter, L the least share)";
	if (page->view == LIVE_OUTPUT)
		return "the command has not written anything";
	if (live->value != VALUE_CPU_NS && !(live->weights.total[live->value] > 0))
		return "no time of this clock (i shows another)";
	if (live->span.chosen)
		return "nothing has run in this span of the time (T shows all of it)";
	if (page->tid || page->object)
		return live->decay ? "nothing has run here lately (z shows totals, Esc zooms out)"
				   : "nothing has run here (Esc zooms out)";
	if (live->state >= LIVE_ENDED)
		return "there are no samples";
	if (live->stopped && live->state == LIVE_RUNS)
		return "no samples: it is stopped by a signal; kill -CONT lets it go on";
	return live->decay && live->weights.total[live->value] > 0
		? "nothing has run lately (z shows totals)"
		: "no samples yet: nothing has run";
}

#define ON(view) (1U << (view))
#define LISTS                                                                     \
	(ON(LIVE_FUNCTIONS) | ON(LIVE_LINES) | ON(LIVE_TREE) | ON(LIVE_THREADS) | \
		ON(LIVE_OBJECTS) | ON(LIVE_CALLERS))
#define ON_TOP (ON(LIVE_CALLERS) | ON(LIVE_SOURCE) | ON(LIVE_DISASSEMBLY) | ON(LIVE_OUTPUT))

/* Key hints and the views in which they apply, the most useful first. */
static const struct hint {
	const char *key, *does;
	unsigned views;
} hints[] = {
	{"h", "Close", ON(LIVE_HELP)},
	{"PgDn", "More", ON(LIVE_HELP)},
	{"F1", "Help", LISTS | ON_TOP},
	{"q", "Quit", LISTS | ON_TOP | ON(LIVE_HELP)},
	{"p", "Pause", LISTS | ON_TOP},
	{"Esc", "Back", ON_TOP},
	{"Enter", "Zoom", LISTS},
	{"+ -", "Fold", ON(LIVE_TREE)},
	{"g", "Tree", LISTS & ~ON(LIVE_TREE)},
	{"l", "Lines", LISTS & ~ON(LIVE_LINES)},
	{"l", "Functions", ON(LIVE_LINES)},
	{"H", "Threads", LISTS & ~ON(LIVE_THREADS)},
	{"/", "Search", LISTS | ON_TOP | ON(LIVE_HELP)},
	{"a", "Source", (LISTS | ON(LIVE_DISASSEMBLY)) & ~ON(LIVE_OBJECTS)},
	{"A", "Asm", (LISTS | ON(LIVE_SOURCE)) & ~ON(LIVE_OBJECTS)},
	{"\\", "Filter", LISTS},
	{"o", "Objects", LISTS & ~ON(LIVE_OBJECTS)},
	{"z", "Decay", LISTS | ON(LIVE_SOURCE) | ON(LIVE_DISASSEMBLY)},
	{"f", "Freeze", LISTS | ON_TOP},
	{"w", "Save", LISTS | ON_TOP},
	{"T", "Time", LISTS | ON_TOP},
};

/* The last line: a prompt, a message, or as many hints as fit. */
static void draw_foot_line(struct live *live, struct screen *screen)
{
	enum live_view view = live_page(live)->view;
	unsigned row = screen->rows - 1, at = 1;

	if (live->prompt.kind) {
		at += screen_put(
			screen, row, at, screen->columns, STYLE_TEXT, live_prompt_label(live));
		at += screen_put(
			screen, row, at, screen->columns - at - 1, STYLE_TEXT, live->prompt.text);
		screen->cursor_row = (int)row;
		screen->cursor_column = (int)at;
		return;
	}
	if (live->message[0]) {
		(void)screen_put(screen, row, at, screen->columns - 2,
			live->message_is_bad ? STYLE_BAD : STYLE_TEXT, live->message);
		return;
	}
	for (size_t i = 0; i < sizeof(hints) / sizeof(*hints); i++) {
		size_t need = text_columns(hints[i].key) + text_columns(hints[i].does) + 1;

		if (!(hints[i].views & ON(view)))
			continue;
		if (at + need > screen->columns)
			break;
		at += screen_put(screen, row, at, 8, STYLE_ACCENT, hints[i].key) + 1;
		at += screen_put(screen, row, at, 16, STYLE_TEXT, hints[i].does) + 2;
	}
}

static void draw_foot(struct live *live, struct screen *screen)
{
	draw_foot_line(live, screen);
	screen_restyle(screen, screen->rows - 1, 0, screen->columns, STYLE_ON_BAR);
}

/* Drops what was made for another width: an error's message, the lines of prose. */
static int take_width(struct live *live, unsigned columns)
{
	const unsigned before = live->columns;

	live->columns = columns;
	if (before == columns)
		return 0;
	if (live->message_is_bad && before)
		live->message[0] = '\0';
	return live_views[live_page(live)->view].is_prose ? live_look(live) : 0;
}

int live_draw(struct live *live, struct screen *screen)
{
	const struct live_page *page = live_page(live);
	struct place_of_column place[16];
	unsigned foot = live->options.batch ? 0 : 1,
		 first = screen->rows > 5 ? 3
		: screen->rows > 4        ? 2
					  : 1;
	size_t places = lay_out(&live_views[page->view], screen->columns, place);
	int r = take_width(live, screen->columns);

	if (r < 0)
		return r;
	screen_clear(screen);
	screen->ascii = live->options.ascii;
	if (live->span.shown && screen->rows > 8) {
		r = live_span_draw(live, screen, first++);
		if (r < 0)
			return r;
	}
	if (foot && screen->rows > 1)
		draw_foot(live, screen);
	if (screen->rows < first + 2 + foot) {
		live_draw_head(live, screen);
		return 0;
	}
	draw_titles(live, screen, first, place, places);
	if (page->note && screen->rows > first + 3 + foot)
		(void)screen_put(screen, ++first, 1, screen->columns - 1, STYLE_WARN, page->note);
	if (!live->table.n)
		(void)screen_put(screen, first + (first + 2 + foot < screen->rows ? 2 : 1), 3,
			screen->columns - 3, page->problem ? STYLE_WARN : STYLE_DIM,
			why_empty(live, page));
	r = draw_rows(live, screen, first + 1, screen->rows - first - 1 - foot, place, places);
	/* The head comes last: it says which rows are visible. */
	live_draw_head(live, screen);
	return r;
}
