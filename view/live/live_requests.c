/* SPDX-License-Identifier: MIT */
/* Performs the requests of keys. */
#include <stdio.h>
#include <string.h>

#include "view/live/live_internal.h"
#include "view/live/live_keys.h"

enum { WHEEL_ROWS = 3, SHIFT_COLUMNS = 8, CONTROL_Z = 'Z' & 0x1f };

/* Has the view an order of its own, and no sort column? If so, tells the user. */
static bool has_own_order(struct live *live)
{
	enum live_view view = live_page(live)->view;
	bool own = live_views[view].sort < 0 || view == LIVE_TREE;

	if (own)
		live_complain(live, "this view has an order of its own");
	return own;
}

static void sort_by(struct live *live, int step)
{
	struct live_page *page = live_page(live);
	const struct live_view_ops *view = &live_views[page->view];
	int n = (int)view->columns, column = page->sort >= 0 ? page->sort : view->sort;

	if (has_own_order(live))
		return;
	/* Skips columns that cannot be sort columns: they only repeat a share, or group rows. */
	do
		column = (column + step + n) % n;
	while (view->column[column].kind == COLUMN_ERROR ||
		view->column[column].kind == COLUMN_BAR ||
		view->column[column].kind == COLUMN_RELATION);
	page->sort = column;
	page->inverted = false;
	page->moved = false;
	page->cursor = 0;
}

static void click(struct live *live, struct live_key key)
{
	struct live_page *page = live_page(live);

	if (key.row == live->header_row && page->view != LIVE_TREE &&
		!live_views[page->view].is_text) {
		for (size_t i = 0; i < live->headers; i++) {
			if (key.column < live->header[i].from || key.column > live->header[i].to)
				continue;
			if (page->sort == live->header[i].column)
				page->inverted = !page->inverted;
			else
				page->inverted = false;
			page->sort = live->header[i].column;
		}
	} else if (key.row >= live->rows_first && key.row < live->rows_first + live->rows_shown) {
		live_move(
			live, (long)(page->top + key.row - live->rows_first) - (long)page->cursor);
	}
}

static void change_rate(struct live *live, bool faster)
{
	static const unsigned rates[] = {
		1, 2, 5, 10, 20, 50, 100, 250, 500, 1000, 2000, 5000, 10000};
	size_t n = sizeof(rates) / sizeof(*rates), at = faster ? 0 : n - 1;
	double rate = live->period_ns ? 1e9 / (double)live->period_ns : 250;
	char text[64];

	/* Below 0, @at wraps around: n or more means in both directions that no rate is left. */
	while (at < n && (faster ? rates[at] <= rate * 1.001 : rates[at] >= rate * 0.999))
		at += faster ? 1 : (size_t)-1;
	if (live->state >= LIVE_ENDED) {
		live_complain(live, "the target has ended");
		return;
	}
	if (at >= n) {
		live_complain(live, faster ? "no rate here is higher" : "no rate here is lower");
		return;
	}
	live->period_ns = live->control.period_ns = 1000000000 / rates[at];
	(void)snprintf(text, sizeof(text), "%u samples a second of CPU time", rates[at]);
	live_say(live, text);
}

static void freeze(struct live *live)
{
	if (live->state >= LIVE_ENDED) {
		live_complain(live, "the target has ended");
		return;
	}
	live->frozen = !live->frozen;
	live->control.change_freeze = true;
	live->control.freeze = live->frozen;
	live_say(live, live->frozen ? "frozen: no samples are taken" : "sampling goes on");
}

/* Shows the profile's next value type that is a time. */
static void change_clock(struct live *live)
{
	size_t types = live->profile ? profile_value_types(live->profile) : 0, next = live->value;

	for (size_t i = 1; i < types; i++) {
		struct value_type type;

		next = (live->value + i) % types;
		type = profile_value_type(live->profile, next);
		if (next == VALUE_SAMPLES || strcmp(type.unit, "nanoseconds") != 0)
			continue;
		live->value = next;
		live->clock_chosen = true;
		live_say(live, type.type);
		return;
	}
	live_complain(live, "there is only CPU time: only that is sampled");
}

static void set_paused(struct live *live)
{
	live->paused = !live->paused;
	if (!live->paused)
		live->due_ns = 0;
	live_say(live, live->paused ? "the display is paused, sampling goes on" : "");
}

static bool in_tree(struct live *live)
{
	if (live_page(live)->view == LIVE_TREE)
		return true;
	live_complain(live, "only the call tree folds: g shows it");
	return false;
}

static int fold_all(struct live *live, enum live_fold how)
{
	return in_tree(live) ? live_tree_fold_all(live, how) : 0;
}

static int fold(struct live *live, enum live_fold how, bool all_below)
{
	const struct live_row *row = live_row(live);

	if (!in_tree(live) || !row)
		return 0;
	/* At a leaf or a folded node, the cursor goes to the caller. */
	if (how == LIVE_CLOSED && !all_below && row->fold != LIVE_OPEN) {
		uint64_t caller = live_tree_parent(live, row->node);

		for (size_t i = live_page(live)->cursor; i-- > 0;) {
			if (live->table.row[i].node == caller) {
				live_move(live, (long)i - (long)live_page(live)->cursor);
				break;
			}
		}
		return 0;
	}
	return live_tree_fold(live, row->node, how, all_below);
}

static int sideways(struct live *live, bool right)
{
	struct live_page *page = live_page(live);

	if (page->view == LIVE_TREE)
		return fold(live, right ? LIVE_OPEN : LIVE_CLOSED, false);
	if (right && page->shift < 4096)
		page->shift += SHIFT_COLUMNS;
	else if (!right)
		page->shift -= page->shift < SHIFT_COLUMNS ? page->shift : SHIFT_COLUMNS;
	return 0;
}

static int serve_view(struct live *live, enum live_request request)
{
	switch (request) {
	case LIVE_REQUEST_HELP: return live_zoom_text(live, LIVE_HELP);
	case LIVE_REQUEST_OUTPUT: return live_zoom_text(live, LIVE_OUTPUT);
	case LIVE_REQUEST_ENTER:
	case LIVE_REQUEST_DOUBLE_CLICK: return live_zoom_in(live);
	case LIVE_REQUEST_ESCAPE: return live_zoom_out(live);
	case LIVE_REQUEST_LINES: return live_toggle_view(live, LIVE_LINES);
	case LIVE_REQUEST_TREE: return live_toggle_view(live, LIVE_TREE);
	case LIVE_REQUEST_THREADS: return live_toggle_view(live, LIVE_THREADS);
	case LIVE_REQUEST_OBJECTS: return live_toggle_view(live, LIVE_OBJECTS);
	case LIVE_REQUEST_NEXT_VIEW: return live_next_view(live, 1);
	case LIVE_REQUEST_PREVIOUS_VIEW: return live_next_view(live, -1);
	case LIVE_REQUEST_SOURCE: return live_zoom_code(live, LIVE_SOURCE);
	case LIVE_REQUEST_DISASSEMBLY: return live_zoom_code(live, LIVE_DISASSEMBLY);
	case LIVE_REQUEST_ZOOM_THREAD: return live_zoom_thread(live);
	case LIVE_REQUEST_ZOOM_OBJECT: return live_zoom_object(live);
	case LIVE_REQUEST_UNFOLD: return fold(live, LIVE_OPEN, false);
	case LIVE_REQUEST_FOLD: return fold(live, LIVE_CLOSED, false);
	case LIVE_REQUEST_UNFOLD_BELOW: return fold(live, LIVE_OPEN, true);
	case LIVE_REQUEST_EXPAND_ALL: return fold_all(live, LIVE_OPEN);
	case LIVE_REQUEST_COLLAPSE_ALL: return fold_all(live, LIVE_CLOSED);
	case LIVE_REQUEST_SPAN: return live_span_toggle(live);
	case LIVE_REQUEST_LEFT: return sideways(live, false);
	case LIVE_REQUEST_RIGHT: return sideways(live, true);
	case LIVE_REQUEST_NEXT: return live_search(live, false);
	case LIVE_REQUEST_PREVIOUS: return live_search(live, true);
	default: return 0;
	}
}

static bool serve_move(struct live *live, enum live_request request, struct live_key key)
{
	long screen = live->rows_shown > 1 ? (long)live->rows_shown - 1 : 1;

	switch (request) {
	case LIVE_REQUEST_UP: live_move(live, -1); break;
	case LIVE_REQUEST_DOWN: live_move(live, 1); break;
	case LIVE_REQUEST_PAGE_UP: live_move(live, -screen); break;
	case LIVE_REQUEST_PAGE_DOWN: live_move(live, screen); break;
	case LIVE_REQUEST_HOME: live_move(live, -(long)live->table.n); break;
	case LIVE_REQUEST_END: live_move(live, (long)live->table.n); break;
	case LIVE_REQUEST_WHEEL_UP: live_move(live, -WHEEL_ROWS); break;
	case LIVE_REQUEST_WHEEL_DOWN: live_move(live, WHEEL_ROWS); break;
	case LIVE_REQUEST_CLICK:
	case LIVE_REQUEST_DOUBLE_CLICK: click(live, key); break;
	default: return false;
	}
	return true;
}

static bool serve_prompt(struct live *live, enum live_request request)
{
	switch (request) {
	case LIVE_REQUEST_SEARCH: live_prompt_open(live, PROMPT_SEARCH); break;
	case LIVE_REQUEST_FILTER: live_prompt_open(live, PROMPT_FILTER); break;
	case LIVE_REQUEST_LIMIT: live_prompt_open(live, PROMPT_LIMIT); break;
	case LIVE_REQUEST_SAVE: live_prompt_open(live, PROMPT_SAVE); break;
	case LIVE_REQUEST_DELAY: live_prompt_open(live, PROMPT_DELAY); break;
	default: return false;
	}
	return true;
}

/* Performs a request about how the profile is shown. Returns false for any other request. */
static bool serve_setting(struct live *live, enum live_request request)
{
	switch (request) {
	case LIVE_REQUEST_SORT_LEFT: sort_by(live, -1); break;
	case LIVE_REQUEST_SORT_RIGHT: sort_by(live, 1); break;
	case LIVE_REQUEST_INVERT:
		if (!has_own_order(live))
			live_page(live)->inverted = !live_page(live)->inverted;
		break;
	case LIVE_REQUEST_PAUSE: set_paused(live); break;
	case LIVE_REQUEST_FREEZE: freeze(live); break;
	case LIVE_REQUEST_RESET:
		live_weights_reset(&live->weights);
		live_say(live, "what was counted is forgotten (a saved profile has all)");
		break;
	case LIVE_REQUEST_DECAY:
		live->decay = !live->decay;
		live_say(live, live->decay ? "the last seconds" : "totals since the start");
		break;
	case LIVE_REQUEST_CLOCK: change_clock(live); break;
	case LIVE_REQUEST_CALLS:
		live->hide_calls = !live->hide_calls;
		live_say(live,
			live->hide_calls ? "system calls count for their callers"
					 : "system calls are frames of their own");
		break;
	case LIVE_REQUEST_SLOWER: change_rate(live, false); break;
	case LIVE_REQUEST_FASTER: change_rate(live, true); break;
	case LIVE_REQUEST_REDRAW: live->control.redraw = true; break;
	default: return false;
	}
	return true;
}

static void complain_of_key(struct live *live, int32_t code)
{
	char name[16], text[64];

	if (code <= 0)
		return;
	if (code >= LIVE_KEY_F1 && code <= LIVE_KEY_F10)
		(void)snprintf(name, sizeof(name), "F%d", code - LIVE_KEY_F1 + 1);
	else if (code < ' ')
		(void)snprintf(name, sizeof(name), "^%c", code + '@');
	else if (code < 127)
		(void)snprintf(name, sizeof(name), "'%c'", code);
	else
		(void)snprintf(name, sizeof(name), "this");
	(void)snprintf(text, sizeof(text), "%s is no key here: h shows the keys", name);
	live_complain(live, text);
}

int live_press(struct live *live, struct live_key key)
{
	enum live_request request;
	int r = 0;

	if (live->prompt.kind)
		return live_prompt_press(live, key);
	if (live->span.choosing && key.code != 3 && key.code != CONTROL_Z &&
		key.code != LIVE_KEY_F10)
		return live_span_press(live, key.code);
	request = live_request_of(key.code);
	/* The key ^Z arrives only if it may not suspend; otherwise the terminal sends SIGTSTP. */
	if (key.code == CONTROL_Z)
		live_complain(
			live, "^Z works with -p, under a shell: q leaves, f only stops sampling");
	else if (request == LIVE_REQUEST_NONE)
		complain_of_key(live, key.code);
	if (request == LIVE_REQUEST_NONE)
		return 0;
	live->message[0] = '\0';
	if (request == LIVE_REQUEST_QUIT) {
		live->control.quit = true;
		return 0;
	}
	if (serve_prompt(live, request))
		return 0;
	if (serve_setting(live, request)) {
		return live_look(live);
	}
	if (serve_move(live, request, key) && request != LIVE_REQUEST_DOUBLE_CLICK)
		return request == LIVE_REQUEST_CLICK ? live_look(live) : 0;
	r = serve_view(live, request);
	return r;
}
