/* SPDX-License-Identifier: MIT */
/*
 * The only table of keys, and what each key does. The help screen is made from the table;
 * man/sproftop.1 must be changed by hand when the table changes. A function that changes a setting
 * ends with live_look(), which rebuilds the rows shown.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "view/live/live_internal.h"

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

static int sort_by(struct live *live, int step)
{
	struct live_page *page = live_page(live);
	const struct live_view_ops *view = &live_views[page->view];
	int n = (int)view->columns, column = page->sort >= 0 ? page->sort : view->sort;

	if (has_own_order(live))
		return live_look(live);
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
	return live_look(live);
}

static int invert(struct live *live)
{
	if (!has_own_order(live))
		live_page(live)->inverted = !live_page(live)->inverted;
	return live_look(live);
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

/* Has sampling ended? The target may live on. If so, tells the user. */
static bool has_ended(struct live *live)
{
	bool ended = live->state >= LIVE_ENDED;

	if (ended)
		live_complain(live, "sampling has ended");
	return ended;
}

static int change_rate(struct live *live, int faster)
{
	static const unsigned rates[] = {
		1, 2, 5, 10, 20, 50, 100, 250, 500, 1000, 2000, 5000, 10000};
	size_t n = sizeof(rates) / sizeof(*rates), at = faster ? 0 : n - 1;
	double rate = live->period_ns ? 1e9 / (double)live->period_ns : 250;
	char text[64];

	/* If no rate is left, @at is n or more, as it wraps around below 0. */
	while (at < n && (faster ? rates[at] <= rate * 1.001 : rates[at] >= rate * 0.999))
		at += faster ? 1 : (size_t)-1;
	if (has_ended(live))
		return live_look(live);
	if (at >= n) {
		live_complain(live, faster ? "no rate here is higher" : "no rate here is lower");
		return live_look(live);
	}
	live->period_ns = live->control.period_ns = 1000000000 / rates[at];
	(void)snprintf(text, sizeof(text), "%u samples a second of CPU time", rates[at]);
	live_say(live, text);
	return live_look(live);
}

static int freeze(struct live *live)
{
	if (has_ended(live))
		return live_look(live);
	live->frozen = !live->frozen;
	live->control.change_freeze = true;
	live->control.freeze = live->frozen;
	live_say(live, live->frozen ? "frozen: no samples are taken" : "sampling goes on");
	return live_look(live);
}

static int reset(struct live *live)
{
	live_weights_reset(&live->weights);
	live_say(live, "what was counted is forgotten (a saved profile has all)");
	return live_look(live);
}

static int change_decay(struct live *live)
{
	live->decay = !live->decay;
	live_say(live, live->decay ? "the last seconds" : "totals since the start");
	return live_look(live);
}

static int change_calls(struct live *live)
{
	live->hide_calls = !live->hide_calls;
	live_say(live,
		live->hide_calls ? "system calls count for their callers"
				 : "system calls are frames of their own");
	return live_look(live);
}

static const char *describe_clock(const char *type)
{
	static const char *const clocks[][2] = {{"cpu", "CPU time"},
		{"wall", "wall: CPU time, and the time of both kinds of waiting"},
		{"runqueue", "runqueue: the time of waiting for a CPU"},
		{"blocked", "blocked: the time of waiting for anything but a CPU"},
		{"guessed", "guessed: the time in stacks whose callers are guessed"}};

	for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++) {
		if (strcmp(clocks[i][0], type) == 0)
			return clocks[i][1];
	}
	return type;
}

/* Shows the profile's next value type that is a time. */
static int change_clock(struct live *live)
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
		live_say(live, describe_clock(type.type));
		return live_look(live);
	}
	live_complain(live, "there is only CPU time: only that is sampled");
	return live_look(live);
}

static int pause_display(struct live *live)
{
	if (!live->paused && has_ended(live))
		return live_look(live);
	live->paused = !live->paused;
	if (!live->paused)
		live->due_ns = 0;
	live_say(live, live->paused ? "the display is paused, sampling goes on" : "");
	return live_look(live);
}

static int redraw(struct live *live)
{
	live->control.redraw = true;
	return live_look(live);
}

static bool in_tree(struct live *live)
{
	if (live_page(live)->view == LIVE_TREE)
		return true;
	live_complain(live, "only the call tree folds: g shows it");
	return false;
}

static int fold_all(struct live *live, int how)
{
	if (!in_tree(live))
		return 0;
	live_tree_fold_all(live, how);
	return live_look(live);
}

static int fold(struct live *live, int how)
{
	const struct live_row *row = live_row(live);

	if (!in_tree(live) || !row)
		return 0;
	/* At a leaf or a folded node, the cursor goes to the caller. */
	if (how == LIVE_CLOSED && row->fold != LIVE_OPEN) {
		uint64_t caller = live_tree_parent(live, row->node);

		for (size_t i = live_page(live)->cursor; i-- > 0;) {
			if (live->table.row[i].node == caller) {
				live_move(live, (long)i - (long)live_page(live)->cursor);
				break;
			}
		}
		return 0;
	}
	live_tree_fold(live, row->node, how, false);
	return live_look(live);
}

static int sideways(struct live *live, int right)
{
	struct live_page *page = live_page(live);

	if (page->view == LIVE_TREE)
		return fold(live, right ? LIVE_OPEN : LIVE_CLOSED);
	if (right && page->shift < 4096)
		page->shift += SHIFT_COLUMNS;
	else if (!right)
		page->shift -= page->shift < SHIFT_COLUMNS ? page->shift : SHIFT_COLUMNS;
	return 0;
}

static int fold_below(struct live *live, int how)
{
	const struct live_row *row = live_row(live);

	if (!in_tree(live) || !row)
		return 0;
	live_tree_fold(live, row->node, how, true);
	return live_look(live);
}

static int move_rows(struct live *live, int rows)
{
	live_move(live, rows);
	return 0;
}

static int move_screens(struct live *live, int screens)
{
	long screen = live->rows_shown > 1 ? (long)live->rows_shown - 1 : 1;

	live_move(live, screens * screen);
	return 0;
}

static int quit(struct live *live)
{
	live->control.quit = true;
	return 0;
}

/* clang-format off */
const struct live_binding live_bindings[] = {
	{{'q', LIVE_KEY_F10, 3}, "q F10 ^C", "quit", .act = quit},
	{{'h', '?', LIVE_KEY_F1}, "h ? F1", "this help", .act_on = live_zoom_text, LIVE_HELP},
	{{'p', ' '}, "p Space", "pause the display; sampling goes on", .act = pause_display},
	{{LIVE_KEY_UP, 'k'}, "Up k", "a row up", .act_on = move_rows, -1},
	{{LIVE_KEY_DOWN, 'j'}, "Down j", "a row down", .act_on = move_rows, 1},
	{{LIVE_KEY_LEFT}, "Left", "fold; elsewhere shift names", .act_on = sideways, false},
	{{LIVE_KEY_RIGHT}, "Right", "unfold; elsewhere shift names", .act_on = sideways, true},
	{{LIVE_KEY_PAGE_UP, 2}, "PgUp ^B", "a screen up", .act_on = move_screens, -1},
	{{LIVE_KEY_PAGE_DOWN, 6}, "PgDn ^F", "a screen down", .act_on = move_screens, 1},
	{{LIVE_KEY_HOME}, "Home", "to the first row", .act_on = move_rows, -INT_MAX},
	{{LIVE_KEY_END}, "End", "to the last row", .act_on = move_rows, INT_MAX},
	{{LIVE_KEY_ENTER, '\n'}, "Enter", "zoom in: callers, thread, object, subtree",
		.act = live_zoom_in},
	{{LIVE_KEY_ESCAPE, LIVE_KEY_BACKSPACE, 127}, "Esc", "zoom out, then drop the filter",
		.act = live_zoom_out},
	{{'/'}, "/", "search", .act_on = live_prompt_open, PROMPT_SEARCH},
	{{'n'}, "n", "next match", .act_on = live_search, false},
	{{'N'}, "N", "previous match", .act_on = live_search, true},
	{{'\\', LIVE_KEY_F1 + 3}, "\\ F4", "show only what matches",
		.act_on = live_prompt_open, PROMPT_FILTER},
	{{'L'}, "L", "leave out shares below", .act_on = live_prompt_open, PROMPT_LIMIT},
	{{'<', ','}, "<", "sort by the column to the left", .act_on = sort_by, -1},
	{{'>', '.', LIVE_KEY_F1 + 5}, "> F6", "sort by the column to the right",
		.act_on = sort_by, 1},
	{{'I'}, "I", "invert the order", .act = invert},
	{{'l'}, "l", "functions or lines", .act_on = live_toggle_view, LIVE_LINES},
	{{'g'}, "g", "call tree", .act_on = live_toggle_view, LIVE_TREE},
	{{'H'}, "H", "threads", .act_on = live_toggle_view, LIVE_THREADS},
	{{'o'}, "o", "objects", .act_on = live_toggle_view, LIVE_OBJECTS},
	{{'\t'}, "Tab", "next view", .act_on = live_next_view, 1},
	{{LIVE_KEY_BACK_TAB}, "S-Tab", "previous view", .act_on = live_next_view, -1},
	{{'a'}, "a", "source of the function, with heat", .act_on = live_zoom_code, LIVE_SOURCE},
	{{'A'}, "A", "instructions of the function, with heat",
		.act_on = live_zoom_code, LIVE_DISASSEMBLY},
	{{'+', '='}, "+", "unfold", .act_on = fold, LIVE_OPEN},
	{{'-'}, "-", "fold", .act_on = fold, LIVE_CLOSED},
	{{'*'}, "*", "unfold all beneath", .act_on = fold_below, LIVE_OPEN},
	{{'E'}, "E", "unfold the whole tree", .act_on = fold_all, LIVE_OPEN},
	{{'C'}, "C", "fold the whole tree", .act_on = fold_all, LIVE_CLOSED},
	{{'t'}, "t", "zoom into a thread, or out of it", .act = live_zoom_thread},
	{{'d'}, "d", "zoom into the row's object, or out of it", .act = live_zoom_object},
	{{'f'}, "f", "freeze sampling; the target goes on", .act = freeze},
	{{'r'}, "r", "forget what was counted", .act = reset},
	{{'z'}, "z", "the last seconds, or totals", .act = change_decay},
	{{'T'}, "T", "choose a span of the time, or all of it again", .act = live_span_toggle},
	{{'i'}, "i", "CPU time, or another clock of -w", .act = change_clock},
	{{'K'}, "K", "hide or show system-call frames", .act = change_calls},
	{{'w'}, "w", "save the profile", .act_on = live_prompt_open, PROMPT_SAVE},
	{{'s'}, "s", "seconds between two updates", .act_on = live_prompt_open, PROMPT_DELAY},
	{{'['}, "[", "sample at a lower rate", .act_on = change_rate, false},
	{{']'}, "]", "sample at a higher rate", .act_on = change_rate, true},
	{{'O'}, "O", "what the command has written", .act_on = live_zoom_text, LIVE_OUTPUT},
	{{12}, "^L", "paint the screen anew", .act = redraw},
	{{LIVE_KEY_WHEEL_UP}, "Wheel", "scroll; a click sorts by a title, picks a row",
		.act_on = move_rows, -WHEEL_ROWS},
	{{LIVE_KEY_WHEEL_DOWN}, .act_on = move_rows, WHEEL_ROWS},
	{{LIVE_KEY_CLICK}, .act = live_look},
	{{LIVE_KEY_DOUBLE_CLICK}, .act = live_zoom_in},
	{.keys = NULL},
};
/* clang-format on */

static const struct live_binding *find_binding(int32_t key)
{
	for (const struct live_binding *b = live_bindings; key && b->key[0]; b++) {
		for (size_t i = 0; i < LIVE_KEYS_MOST; i++) {
			if (b->key[i] == key)
				return b;
		}
	}
	return NULL;
}

static void complain_of_key(struct live *live, int32_t code)
{
	char name[16], text[64];

	if (code <= 0)
		return;
	/*
	 * The key ^Z arrives here only if the program may not be suspended; otherwise the terminal
	 * sends SIGTSTP.
	 */
	if (code == CONTROL_Z) {
		live_complain(
			live, "^Z works with -p, under a shell: q leaves, f only stops sampling");
		return;
	}
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
	const struct live_binding *binding;

	if (live->prompt.kind)
		return live_prompt_press(live, key);
	if (live->span.choosing && key.code != 3 && key.code != CONTROL_Z &&
		key.code != LIVE_KEY_F10)
		return live_span_press(live, key.code);
	binding = find_binding(key.code);
	if (!binding) {
		complain_of_key(live, key.code);
		return 0;
	}
	live->message[0] = '\0';
	if (key.code == LIVE_KEY_CLICK || key.code == LIVE_KEY_DOUBLE_CLICK)
		click(live, key);
	return binding->act ? binding->act(live) : binding->act_on(live, binding->argument);
}
