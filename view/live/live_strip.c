/* SPDX-License-Identifier: MIT */
/*
 * The strip of time: a bar per interval shows how much CPU time the target used. Arrow keys choose
 * a span of the strip; tables then show only that span.
 */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "profile/timeline.h"
#include "view/live/live_internal.h"
#include "view/strip.h"

/* LABEL_COLUMNS: columns before the strip. FAR: cells by which PgUp and PgDn move. */
enum { LABEL_COLUMNS = 6, FAR = 10 };

static size_t cell_of(const struct live_span *span, uint64_t ns)
{
	size_t at = (size_t)((double)ns / (double)span->end_ns * (double)span->cells);

	return at < span->cells ? at : span->cells - 1;
}

static uint64_t begin_of(const struct live_span *span, size_t cell)
{
	return (uint64_t)((double)cell / (double)span->cells * (double)span->end_ns);
}

/*
 * Recomputes the cells if their number has changed, or if the profile has 2 % more instants than at
 * the last computation. 0 or -ENOMEM.
 */
static int fill_cells(struct live *live, size_t cells)
{
	struct live_span *span = &live->span;
	size_t instants = timeline_instants(live->profile);
	uint64_t first_ns, began = profile_realtime_ns(live->profile);
	struct timeline_cursor cursor;
	struct instant instant;
	int r;

	if (span->cells == cells && span->instants <= instants &&
		instants <= span->instants + span->instants / 50)
		return 0;
	/* Cells keep their times while the user chooses a span. */
	if (span->cells == cells && span->choosing)
		return 0;
	if (array_grow(&span->cell, &span->cell_room, cells) < 0)
		return -ENOMEM;
	span->cells = cells;
	span->instants = instants;
	memset(span->cell, 0, cells * sizeof(*span->cell));
	if (!timeline_bounds(live->profile, &first_ns, &span->end_ns))
		return 0;
	span->end_ns++;
	r = timeline_begin(&cursor, live->profile);
	while (r >= 0 && timeline_next(&cursor, &instant)) {
		uint64_t ns = instant.time_ns > began ? instant.time_ns - began : 0;

		if (instant.state == TIMELINE_RUNNING)
			span->cell[cell_of(span, ns)] += (double)instant.weight_ns;
	}
	timeline_end(&cursor);
	return r;
}

/* Gets the cells that are chosen or being chosen, up to *@ret_to (exclusive). False: none are. */
static bool selected(const struct live_span *span, size_t *ret_from, size_t *ret_to)
{
	if (span->choosing) {
		size_t other = span->anchored ? span->anchor : span->cursor;

		*ret_from = other < span->cursor ? other : span->cursor;
		*ret_to = (other > span->cursor ? other : span->cursor) + 1;
		return true;
	}
	if (!span->chosen)
		return false;
	*ret_from = cell_of(span, span->from_ns);
	*ret_to = cell_of(span, span->to_ns ? span->to_ns - 1 : 0) + 1;
	return true;
}

/* Shows the times of the cells being chosen, and what the keys do. */
static void say_where(struct live *live)
{
	const struct live_span *span = &live->span;
	char from[TEXT_UNIT_BYTES], to[TEXT_UNIT_BYTES], text[160];
	size_t first = 0, last = 0;

	(void)selected(span, &first, &last);
	text_format_ns(begin_of(span, first), from);
	text_format_ns(begin_of(span, last), to);
	(void)snprintf(text, sizeof(text), "%s to %s: %s", from, to,
		span->anchored ? "Enter chooses it, Esc gives up"
			       : "Enter begins the span here, Esc gives up");
	live_say(live, text);
}

int live_span_draw(struct live *live, struct screen *screen, unsigned row)
{
	struct live_span *span = &live->span;
	double most = 0;
	size_t from, to;
	int r;

	if (screen->columns < 2 * LABEL_COLUMNS)
		return 0;
	r = fill_cells(live, screen->columns - LABEL_COLUMNS - 1);
	if (r < 0)
		return r;
	(void)screen_put(screen, row, 1, LABEL_COLUMNS, STYLE_DIM, "time");
	for (size_t i = 0; i < span->cells; i++)
		most = span->cell[i] > most ? span->cell[i] : most;
	for (size_t i = 0; i < span->cells && most > 0; i++) {
		double share = span->cell[i] / most;

		(void)screen_put(screen, row, LABEL_COLUMNS + (unsigned)i, 1,
			share >= 0.75           ? STYLE_HOT
				: share >= 0.25 ? STYLE_WARM
						: STYLE_MILD,
			strip_character(share, screen->ascii));
	}
	if (selected(span, &from, &to))
		screen_restyle(screen, row, LABEL_COLUMNS + (unsigned)from, (unsigned)(to - from),
			STYLE_SELECTED);
	return 0;
}

int live_span_toggle(struct live *live)
{
	struct live_span *span = &live->span;

	if (span->shown && span->chosen) {
		live_span_release(span);
		live_say(live, "all of the time again");
		return live_look(live);
	}
	if (!live->profile || !timeline_instants(live->profile)) {
		live_complain(live, "no time line: nothing has run yet, or --no-timeline");
		return 0;
	}
	span->shown = span->choosing = true;
	span->anchored = false;
	if (!span->cells) {
		/* Before the first drawing, the strip's width follows from the screen's. */
		int r = fill_cells(live,
			live->columns > 2 * LABEL_COLUMNS ? live->columns - LABEL_COLUMNS - 1 : 60);

		if (r < 0)
			return r;
	}
	span->cursor = span->cells - 1;
	say_where(live);
	return 0;
}

static void choose(struct live *live)
{
	struct live_span *span = &live->span;
	char text[2 * TEXT_UNIT_BYTES + 40], what[2 * TEXT_UNIT_BYTES];
	size_t from, to;

	(void)selected(span, &from, &to);
	span->from_ns = begin_of(span, from);
	span->to_ns = begin_of(span, to);
	span->choosing = false;
	span->chosen = true;
	span->value = SIZE_MAX;
	live_span_describe(live, what, sizeof(what));
	(void)snprintf(text, sizeof(text), "only %s; T shows all of the time", what);
	live_say(live, text);
}

static void move(struct live_span *span, long by)
{
	long at = (long)span->cursor + by;

	span->cursor = at < 0 ? 0 : at >= (long)span->cells ? span->cells - 1 : (size_t)at;
}

int live_span_press(struct live *live, int32_t code)
{
	struct live_span *span = &live->span;

	if (span->cursor >= span->cells)
		span->cursor = span->cells - 1;
	switch (code) {
	case LIVE_KEY_LEFT: move(span, -1); break;
	case LIVE_KEY_RIGHT: move(span, 1); break;
	case LIVE_KEY_PAGE_UP: move(span, -FAR); break;
	case LIVE_KEY_PAGE_DOWN: move(span, FAR); break;
	case LIVE_KEY_HOME: span->cursor = 0; break;
	case LIVE_KEY_END: span->cursor = span->cells - 1; break;
	case ' ':
	case '\n':
	case LIVE_KEY_ENTER:
		if (span->anchored) {
			choose(live);
			return live_look(live);
		}
		span->anchored = true;
		span->anchor = span->cursor;
		break;
	case 'T':
	case 'q':
	case LIVE_KEY_ESCAPE:
		live_span_release(span);
		live->message[0] = '\0';
		return live_look(live);
	default: break;
	}
	say_where(live);
	return 0;
}
