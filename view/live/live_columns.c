/* SPDX-License-Identifier: MIT */
/* The columns of the views: their cells as text, and their order. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "profile/stats.h"
#include "view/live/live_internal.h"

/* clang-format off */
static const struct live_column function_columns[] = {
	{COLUMN_SELF, "SELF%", 6, 0}, {COLUMN_ERROR, "\xc2\xb1", 5, 80},
	{COLUMN_TOTAL, "TOTAL%", 7, 0},
	{COLUMN_TIME, "SELF s", 9, 100}, {COLUMN_BAR, "", 10, 116},
	{COLUMN_NAME, "FUNCTION", 0, 0}, {COLUMN_OBJECT, "OBJECT", 20, 66},
};
static const struct live_column line_columns[] = {
	{COLUMN_SELF, "SELF%", 6, 0}, {COLUMN_ERROR, "\xc2\xb1", 5, 80},
	{COLUMN_TOTAL, "TOTAL%", 7, 0},
	{COLUMN_TIME, "SELF s", 9, 100}, {COLUMN_BAR, "", 10, 130},
	{COLUMN_PLACE, "LINE", 24, 0}, {COLUMN_NAME, "FUNCTION", 0, 0},
	{COLUMN_OBJECT, "OBJECT", 20, 110},
};
static const struct live_column tree_columns[] = {
	{COLUMN_TOTAL, "TOTAL%", 6, 0}, {COLUMN_ERROR, "\xc2\xb1", 5, 80},
	{COLUMN_SELF, "SELF%", 6, 0},
	{COLUMN_BAR, "", 10, 116}, {COLUMN_NAME, "CALL TREE", 0, 0},
	{COLUMN_OBJECT, "OBJECT", 20, 80},
};
static const struct live_column thread_columns[] = {
	{COLUMN_NOW, "CPU%", 6, 0}, {COLUMN_CPU_TIME, "TIME s", 8, 0}, {COLUMN_STATE, "S", 1, 0},
	{COLUMN_TID, "TID", 8, 0}, {COLUMN_NAME, "THREAD", 16, 0},
	{COLUMN_LAST, "LAST FUNCTION", 0, 0}, {COLUMN_OBJECT, "OBJECT", 20, 90},
};
static const struct live_column object_columns[] = {
	{COLUMN_SELF, "SELF%", 6, 0}, {COLUMN_ERROR, "\xc2\xb1", 5, 80},
	{COLUMN_TOTAL, "TOTAL%", 7, 0},
	{COLUMN_TIME, "SELF s", 9, 76}, {COLUMN_BAR, "", 10, 90}, {COLUMN_NAME, "OBJECT", 0, 0},
};
static const struct live_column caller_columns[] = {
	{COLUMN_RELATION, "", 8, 0}, {COLUMN_OF_TOTAL, "OF IT%", 7, 0},
	{COLUMN_TOTAL, "TOTAL%", 7, 0}, {COLUMN_ERROR, "\xc2\xb1", 5, 80},
	{COLUMN_NAME, "FUNCTION", 0, 0}, {COLUMN_OBJECT, "OBJECT", 20, 66},
};
static const struct live_column source_columns[] = {
	{COLUMN_SELF, "SELF%", 6, 0}, {COLUMN_TOTAL, "TOTAL%", 7, 66},
	{COLUMN_LINE_NUMBER, "LINE", 6, 0}, {COLUMN_CODE, "SOURCE", 0, 0},
};
static const struct live_column disassembly_columns[] = {
	{COLUMN_SELF, "SELF%", 6, 0},
	{COLUMN_BAR, "", 10, 100},
	{COLUMN_CODE, "INSTRUCTIONS", 0, 0},
};
static const struct live_column text_columns_[] = {{COLUMN_CODE, "", 0, 0}};

#define COLUMNS(list) (list), sizeof(list) / sizeof(*(list))
const struct live_view_ops live_views[LIVE_VIEWS] = {
	[LIVE_FUNCTIONS] = {"functions", "Functions",
		COLUMNS(function_columns), 0, false, live_collect_functions, false},
	[LIVE_LINES] = {"lines", "Lines",
		COLUMNS(line_columns), 0, false, live_collect_lines, false},
	[LIVE_TREE] = {"tree", "Call tree",
		COLUMNS(tree_columns), 0, false, live_collect_tree, false},
	[LIVE_THREADS] = {"threads", "Threads",
		COLUMNS(thread_columns), 0, false, live_collect_threads, false},
	[LIVE_OBJECTS] = {"objects", "Objects",
		COLUMNS(object_columns), 0, false, live_collect_objects, false},
	[LIVE_CALLERS] = {"callers", "Callers and callees",
		COLUMNS(caller_columns), 2, false, live_collect_callers, false},
	[LIVE_SOURCE] = {"source", "Source",
		COLUMNS(source_columns), -1, true, live_collect_source, false},
	[LIVE_DISASSEMBLY] = {"disassembly", "Disassembly",
		COLUMNS(disassembly_columns), -1, true, live_collect_disassembly, false},
	[LIVE_HELP] = {"help", "Help", COLUMNS(text_columns_), -1, true, live_collect_help, true},
	[LIVE_OUTPUT] = {"output", "Output of the command",
		COLUMNS(text_columns_), -1, true, live_collect_output, false},
};
/* clang-format on */

const char *live_column_title(const struct live *live, const struct live_column *column)
{
	static const char *const titles[][3] = {{"wall", "WALL%", "WALL s"},
		{"runqueue", "QUEUE%", "QUEUE s"}, {"blocked", "BLOCK%", "BLOCK s"},
		{"guessed", "GUESS%", "GUESS s"}};
	bool is_now = column->kind == COLUMN_NOW;
	const char *type;

	if ((!is_now && column->kind != COLUMN_CPU_TIME) || !live->profile ||
		live->value >= profile_value_types(live->profile))
		return column->title;
	type = profile_value_type(live->profile, live->value).type;
	for (size_t i = 0; i < sizeof(titles) / sizeof(*titles); i++) {
		if (strcmp(titles[i][0], type) == 0)
			return titles[i][is_now ? 1 : 2];
	}
	return column->title;
}

bool live_column_shown(const struct live_column *column, unsigned columns)
{
	return columns >= column->from;
}

/* Returns half the width of a share's 95 % confidence interval; 0: unknown. */
static double error_of(const struct live *live, double value)
{
	struct interval interval;

	if (live->table.effective_samples <= 0 || live->table.whole <= 0)
		return 0;
	interval = stats_share_interval(value / live->table.whole, live->table.effective_samples);
	return (interval.high - interval.low) / 2;
}

/*
 * Formats half the width of the confidence interval in percent, "2.1". An interval that would reach
 * above 100 % has only its lower part shown, "-4.0".
 */
static void format_error(const struct live *live, double value, char *to, size_t room)
{
	double error = error_of(live, value), whole = live->table.whole;
	double share = whole > 0 ? value / whole : 0;

	if (share + error <= 1.0005 || live->table.effective_samples <= 0)
		(void)snprintf(to, room, "%.1f", error * 100);
	else
		(void)snprintf(to, room, "-%.1f",
			(share - stats_share_interval(share, live->table.effective_samples).low) *
				100);
}

bool live_is_noise(const struct live *live, const struct live_row *row)
{
	enum live_view view = live->page[live->pages - 1].view;
	bool by_total = view == LIVE_TREE || view == LIVE_CALLERS || row->self <= 0;
	double value = by_total ? row->total : row->self;

	if (live->table.whole <= 0)
		return false;
	return !row->exact && error_of(live, value) > value / live->table.whole / 2;
}

unsigned live_heat(const struct live *live, double value)
{
	double share = live->table.whole > 0 ? value / live->table.whole : 0;

	return share >= 0.2     ? STYLE_HOT
		: share >= 0.05 ? STYLE_WARM
		: share >= 0.01 ? STYLE_MILD
				: STYLE_TEXT;
}

static void format_share(char *to, size_t room, double value, double whole)
{
	if (value > 0 && whole > 0)
		(void)snprintf(to, room, "%.2f", value / whole * 100);
	else
		to[0] = '\0';
}

/* A bar's length is in eighths of a character; in ASCII, in whole characters. */
static void format_bar(const struct live *live, double value, unsigned width, char *to, size_t room)
{
	static const char *const part[] = {"", "\xe2\x96\x8f", "\xe2\x96\x8e", "\xe2\x96\x8d",
		"\xe2\x96\x8c", "\xe2\x96\x8b", "\xe2\x96\x8a", "\xe2\x96\x89"};
	double share = live->table.whole > 0 ? value / live->table.whole : 0;
	unsigned eighths = (unsigned)((share > 1 ? 1 : share) * width * 8 + 0.5);
	size_t n = 0;

	to[0] = '\0';
	for (unsigned i = 0; i < eighths / 8 && n + 4 < room; i++)
		n += (size_t)snprintf(
			to + n, room - n, "%s", live->options.ascii ? "#" : "\xe2\x96\x88");
	if (!live->options.ascii && n + 4 < room)
		(void)snprintf(to + n, room - n, "%s", part[eighths % 8]);
}

static double bar_value(const struct live *live, const struct live_row *row)
{
	return live->page[live->pages - 1].view == LIVE_TREE ? row->total : row->self;
}

static double of_its_total(const struct live *live, const struct live_row *row)
{
	for (size_t i = 0; i < live->table.n; i++) {
		if (live->table.row[i].relation == LIVE_ITSELF)
			return live->table.row[i].total > 0 ? row->total / live->table.row[i].total
							    : 0;
	}
	return 0;
}

static const char *relation_name(uint8_t relation)
{
	return relation == LIVE_CALLER ? "caller" : relation == LIVE_CALLEE ? "callee" : "";
}

unsigned live_format(const struct live *live, const struct live_row *row,
	const struct live_column *column, char *to, size_t room)
{
	enum live_view view = live->page[live->pages - 1].view;
	bool by_total = view == LIVE_TREE || view == LIVE_CALLERS;

	to[0] = '\0';
	switch (column->kind) {
	case COLUMN_SELF:
		format_share(to, room, row->self, live->table.whole);
		return live_heat(live, row->self);
	case COLUMN_TOTAL:
		format_share(to, room, row->total, live->table.whole);
		return by_total ? live_heat(live, row->total) : STYLE_TEXT;
	case COLUMN_ERROR:
		if (!row->exact && (row->self > 0 || by_total))
			format_error(live, by_total ? row->total : row->self, to, room);
		return STYLE_DIM;
	case COLUMN_BAR:
		format_bar(live, bar_value(live, row), column->width, to, room);
		return live_heat(live, bar_value(live, row));
	case COLUMN_TIME: (void)snprintf(to, room, "%.2f", row->self / 1e9); return STYLE_TEXT;
	case COLUMN_NOW:
		(void)snprintf(to, room, "%.1f", row->now * 100);
		return row->now >= 0.5     ? STYLE_HOT
			: row->now >= 0.1  ? STYLE_WARM
			: row->now >= 0.01 ? STYLE_MILD
					   : STYLE_TEXT;
	case COLUMN_CPU_TIME: (void)snprintf(to, room, "%.2f", row->total / 1e9); return STYLE_TEXT;
	case COLUMN_STATE:
		(void)snprintf(to, room, "%c", row->state);
		return row->state == 'R' ? STYLE_GOOD : STYLE_DIM;
	case COLUMN_TID: (void)snprintf(to, room, "%" PRIu32, row->tid); return STYLE_TEXT;
	case COLUMN_RELATION:
		(void)snprintf(to, room, "%s", relation_name(row->relation));
		return STYLE_DIM;
	case COLUMN_OF_TOTAL:
		if (row->relation != LIVE_ITSELF)
			(void)snprintf(to, room, "%.2f", of_its_total(live, row) * 100);
		return STYLE_TEXT;
	case COLUMN_LINE_NUMBER: (void)snprintf(to, room, "%" PRIu32, row->line); return STYLE_DIM;
	case COLUMN_NAME:
	case COLUMN_OBJECT:
	case COLUMN_PLACE:
	case COLUMN_LAST:
	case COLUMN_CODE: break;
	}
	return STYLE_TEXT;
}

struct order {
	enum live_column_kind kind;
	bool inverted;
};

static int by_text(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static int by_amount(double a, double b)
{
	return (a < b) - (a > b);
}

/* Compares in the column's default order: amounts are descending, names ascending. */
static int compare_by(
	enum live_column_kind kind, const struct live_row *x, const struct live_row *y)
{
	switch (kind) {
	case COLUMN_TOTAL:
	case COLUMN_CPU_TIME:
	case COLUMN_OF_TOTAL: return by_amount(x->total, y->total);
	case COLUMN_NOW: return by_amount(x->now, y->now);
	case COLUMN_NAME: return by_text(x->name, y->name);
	case COLUMN_OBJECT:
		return by_text(x->object ? text_basename(x->object) : NULL,
			y->object ? text_basename(y->object) : NULL);
	case COLUMN_PLACE:
	case COLUMN_LAST: return by_text(x->text, y->text);
	case COLUMN_STATE: return (x->state > y->state) - (x->state < y->state);
	case COLUMN_TID: return (x->tid > y->tid) - (x->tid < y->tid);
	case COLUMN_SELF:
	case COLUMN_TIME:
	case COLUMN_ERROR:
	case COLUMN_BAR:
	case COLUMN_RELATION:
	case COLUMN_LINE_NUMBER:
	case COLUMN_CODE: break;
	}
	return by_amount(x->self, y->self);
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct live_row *x = a, *y = b;
	const struct order *order = context;
	int by;

	/* Callers are above the function, callees below. */
	if (x->relation != y->relation)
		return x->relation < y->relation ? -1 : 1;
	by = compare_by(order->kind, x, y);
	if (by)
		return order->inverted ? -by : by;
	if (x->total < y->total || x->total > y->total)
		return by_amount(x->total, y->total);
	by = by_text(x->name, y->name);
	if (!by)
		by = (x->line > y->line) - (x->line < y->line);
	return by ? by : (x->id > y->id) - (x->id < y->id);
}

void live_sort(struct live *live, const struct live_page *page)
{
	const struct live_view_ops *view = &live_views[page->view];
	int column = page->sort >= 0 ? page->sort : view->sort;
	struct order order = {view->column[column < 0 ? 0 : column].kind, page->inverted};

	if (live->table.n > 1)
		qsort_r(live->table.row, live->table.n, sizeof(*live->table.row), compare_rows,
			&order);
}
