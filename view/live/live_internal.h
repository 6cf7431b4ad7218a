/* SPDX-License-Identifier: MIT */
/*
 * Types and functions that the files of the live view share. A row borrows its strings from the
 * profile, the places or the open view.
 */
#ifndef VIEW_LIVE_LIVE_INTERNAL_H
#define VIEW_LIVE_LIVE_INTERNAL_H

#include <regex.h>

#include "base/table.h"
#include "profile/audit.h"
#include "profile/profile.h"
#include "view/live/live.h"
#include "view/live/live_weights.h"
#include "view/places.h"

enum { LIVE_NONE = UINT32_MAX, LIVE_PAGES_MOST = 32, LIVE_TEXT_BYTES = 256, LIVE_HISTORY = 240 };

enum live_view {
	LIVE_FUNCTIONS,
	LIVE_LINES,
	LIVE_TREE,
	LIVE_THREADS,
	LIVE_OBJECTS,
	LIVE_CALLERS,
	LIVE_SOURCE,
	LIVE_DISASSEMBLY,
	LIVE_HELP,
	LIVE_OUTPUT,
	LIVE_VIEWS
};

enum live_relation { LIVE_CALLER = 1, LIVE_ITSELF, LIVE_CALLEE };
enum live_fold { LIVE_LEAF, LIVE_OPEN, LIVE_CLOSED };

struct live_row {
	uint64_t id;                      /* identifies the row across updates */
	double self, total;               /* weights in the value type shown */
	double now;                       /* a thread's present CPU use; 1: a whole CPU */
	const char *name, *object, *text; /* live_matches() searches in all of them */
	uint32_t place;    /* place of the row's function; LIVE_NONE: the row is no function */
	uint32_t line;     /* number of a line of a source file */
	uint32_t node;     /* call tree: index of the row's node */
	uint32_t pid, tid; /* in the list of threads: the row's thread */
	unsigned indent;
	uint8_t fold, relation; /* enum live_fold; enum live_relation or 0 */
	char state;             /* threads: as in struct live_thread */
	bool exact;             /* the value was not sampled: it has no confidence interval */
	bool titled;            /* the name is the process's title */
};

struct live_table {
	struct live_row *row;
	size_t n, room;
	double whole;             /* the weight that is 100 % */
	double effective_samples; /* effective sample size (stats.h) of @whole; 0: unknown */
	size_t of;                /* number of rows before filter and minimum share apply */
};

/* live_format() and compare_by() have no default label: a kind that they lack does not compile. */
enum live_column_kind {
	COLUMN_SELF,
	COLUMN_TOTAL,
	COLUMN_ERROR, /* error of the view's main share (self or total) */
	COLUMN_BAR,
	COLUMN_TIME, /* self, in seconds */
	COLUMN_NAME,
	COLUMN_OBJECT,
	COLUMN_PLACE,    /* file:line */
	COLUMN_NOW,      /* present use of CPUs, in percent of one CPU */
	COLUMN_CPU_TIME, /* total, in seconds */
	COLUMN_STATE,
	COLUMN_TID,
	COLUMN_LAST, /* the function in which a thread was last found */
	COLUMN_RELATION,
	COLUMN_OF_TOTAL, /* callers: share of the total of the view's function */
	COLUMN_LINE_NUMBER,
	COLUMN_CODE,
};

struct live_column {
	enum live_column_kind kind;
	const char *title;
	uint16_t width; /* 0: the rest of the screen's width; at most one column has 0 */
	uint16_t from;  /* the column is shown on screens of at least this width */
};

/* An open view: what it is zoomed into, and its cursor. */
struct live_page {
	enum live_view view, below; /* @below: threads, objects: the view that Enter opens */
	uint32_t place;             /* callers, source: the function; LIVE_NONE: none */
	uint32_t tid, pid;          /* only this thread; tid 0: all */
	const char *object;         /* only this object; NULL: all */
	uint64_t root;              /* tree: hash of the path to the top node; 0: the whole tree */
	/* The cursor's row, the first row shown, and how many columns names are shifted left. */
	size_t cursor, top, shift;
	bool moved;         /* the cursor was moved: it stays with the row @cursor_id */
	uint64_t cursor_id; /* id of the cursor's row */
	int sort;           /* index of a column; -1: the view's initial order */
	bool inverted;
	/* The text has been scrolled to its place of interest, or the hottest path unfolded. */
	bool opened;
	char *text, *problem; /* source, instructions or output; or why there is none */
	char *note;           /* shown above the text; NULL: none */
	char **line;          /* pointers into @text */
	size_t lines;
};

struct live_audit {
	uint64_t samples, sampled_ns, kernel_ns, wall_ns, lost;
	double cpus, rate; /* in the last second: CPUs used, samples per second */
	/*
	 * Shares from 0 to 1 over the whole run: audit_cost(), negative if unknown;
	 * audit_stopped(), 0 if unknown.
	 */
	double cost, stopped;
	struct audit_found found;
	bool known, knows_found;     /* the supervisor's figures have come; they include @found */
	double first_cpus;           /* CPUs used, from samples; set until @known; 0: unknown */
	float history[LIVE_HISTORY]; /* CPUs per second; newest at [seconds - 1] */
	size_t seconds;
};

/* The strip of time, and the span chosen on it (live_span.c, live_strip.c). */
struct live_span {
	bool shown;              /* the strip is shown */
	bool choosing;           /* arrow keys move on the strip */
	bool anchored;           /* one end of the span is at @anchor */
	bool chosen;             /* tables show only the span */
	size_t cursor, anchor;   /* positions, in cells */
	uint64_t from_ns, to_ns; /* the span, since the profile's beginning */
	uint64_t end_ns;         /* the strip's end, since the profile's beginning */
	double *cell;            /* by cell: weight of what ran in that time */
	size_t cells, cell_room;
	size_t instants; /* number of instants when the cells were computed */
	double *weight;  /* by stack: weight in the span */
	size_t stacks, weight_room;
	size_t value;        /* the value type of @weight */
	double sum, squares; /* @sum: of the weights in the span; @squares: of their squares */
};

struct live_prompt {
	int kind; /* enum live_prompt_kind */
	char text[LIVE_TEXT_BYTES];
	size_t bytes;
	bool proposed; /* the text is a proposal: the first character typed replaces it */
};

struct live {
	struct live_options options;
	struct control control;
	const struct profile *profile;
	struct live_weights weights;
	struct places functions, lines; /* the profile's functions; its source lines */
	struct live_tree *tree;
	struct live_audit audit;
	struct live_table table;
	struct live_page page[LIVE_PAGES_MOST];
	size_t pages; /* number of open views; the last one is shown: the current view */
	struct live_prompt prompt;
	struct live_span span;
	unsigned columns; /* width of the last screen */
	char message[LIVE_TEXT_BYTES];
	bool message_is_bad;

	size_t value; /* index of the value type shown */
	bool clock_chosen;
	bool decay, paused, frozen, hide_calls;
	double min_percent;
	char search[LIVE_TEXT_BYTES], filter[LIVE_TEXT_BYTES], save_as[LIVE_TEXT_BYTES];
	regex_t search_regex, filter_regex;
	bool has_search, has_filter;
	char bad_filter[LIVE_TEXT_BYTES]; /* why the filter is taken literally; "": it is not */
	bool *place_matches;              /* by function: the filter matches the function */
	size_t places_matched, matches_room;
	uint64_t period_ns, delay_ns, now_ns, due_ns;

	char target[LIVE_TEXT_BYTES];
	enum live_target_state state;
	bool stopped; /* the target is stopped by a signal */
	int status, signal;
	struct live_thread *thread;
	size_t threads, thread_room;

	/*
	 * Sums of the current table, one per item. The view decides what an item is: a function,
	 * line, object, …
	 */
	double *self, *total;
	uint32_t *stamp;
	size_t self_room, total_room, stamp_room;
	uint32_t stamps;

	/* Positions on the last screen, for the mouse and for paging. */
	unsigned rows_first, rows_shown, header_row;
	struct {
		unsigned from, to;
		int column;
	} header[16];
	size_t headers;
};

/* A kind of view. */
struct live_view_ops {
	const char *name, *title; /* the name for --view; the title on the screen */
	const struct live_column *column;
	size_t columns;
	int sort;     /* initial sort column; -1: none */
	bool is_text; /* rows are lines of a text, neither filtered nor sorted */
	/* Adds the rows to live->table. 0 or -ENOMEM. */
	int (*collect)(struct live *live, struct live_page *page);
	bool is_prose; /* the text is for reading: rows scroll, the cursor is invisible */
};

extern const struct live_view_ops live_views[LIVE_VIEWS];

static inline struct live_page *live_page(struct live *live)
{
	return &live->page[live->pages - 1];
}

enum { LIVE_KEYS_MOST = 4 };

/* The keys of a request, and the function that performs the request. */
struct live_binding {
	int32_t key[LIVE_KEYS_MOST]; /* the key's code; 0 if the request has fewer keys */
	const char *keys, *help;     /* as the help screen shows them; NULL: in no help */
	/* One of the two is set. Each returns 0 or -ENOMEM. */
	int (*act)(struct live *live);
	int (*act_on)(struct live *live, int argument);
	int argument;
};

/* Requests with help come first. The last entry has no key. */
extern const struct live_binding live_bindings[];

/* Returns a new page of a view that is zoomed into the same thread and object as @page. */
static inline struct live_page live_page_beside(const struct live_page *page, enum live_view view)
{
	return (struct live_page){.view = view,
		.place = LIVE_NONE,
		.sort = -1,
		.tid = page->tid,
		.pid = page->pid,
		.object = page->object};
}

/* live_page.c: */
void live_page_release(struct live_page *page);
void live_complain(struct live *live, const char *message);
struct live_row *live_row(struct live *live); /* the cursor's row, or NULL */
int live_add_row(struct live *live, const struct live_row *row);
bool live_matches(const struct live *live, const struct live_row *row, bool search);

/* live.c: */
int live_look(struct live *live); /* rebuilds the table of the current view; 0 or -ENOMEM */
int live_open(struct live *live, const struct live_page *page);
void live_close(struct live *live);
void live_set_view(struct live *live, enum live_view view);
void live_move(struct live *live, long rows);

/* live_lists.c: */
int live_collect_functions(struct live *live, struct live_page *page);
int live_collect_lines(struct live *live, struct live_page *page);
int live_collect_objects(struct live *live, struct live_page *page);
int live_collect_threads(struct live *live, struct live_page *page);
/*
 * Finds the first stack, from index *@at on, that has a weight and belongs to the thread and object
 * that @page is zoomed into. Sets *@at to the index behind that stack, and *@ret_weight to the
 * stack's weight in the value type shown. False: none is left.
 */
bool live_next_stack(const struct live *live, const struct live_page *page, size_t *at,
	struct sample *ret_sample, double *ret_weight);
/* Returns the index of the first visible location: 1 if that of a system call is hidden, else 0. */
size_t live_first_frame(const struct live *live, const struct sample *sample);
/* Makes room for sums of @n items, and sets them to 0. 0 or -ENOMEM. */
int live_clear_sums(struct live *live, size_t n);
/*
 * Returns the index of the item to which a frame's weight is added; it is below the @n of
 * live_clear_sums(). LIVE_NONE: the frame does not count.
 */
typedef uint32_t live_counts_for(
	const struct live *live, uint32_t location, size_t frame, const void *context);

/*
 * Sums up the stacks that @page is zoomed into. A stack's weight is added once to live->total of
 * each of the stack's items, and to live->self of its leaf's item.
 */
void live_sum_up(
	struct live *live, const struct live_page *page, live_counts_for *of, const void *context);

/*
 * Adds @weight to an item's total, but only once per stack. The caller increments live->stamps
 * before each stack.
 */
static inline void live_add_total(struct live *live, uint32_t item, double weight)
{
	if (live->stamp[item] != live->stamps)
		live->total[item] += weight;
	live->stamp[item] = live->stamps;
}
void live_set_whole(struct live *live, double whole);

/* live_callers.c, live_tree.c, live_code.c, live_help.c: */
int live_collect_callers(struct live *live, struct live_page *page);
int live_collect_tree(struct live *live, struct live_page *page);
int live_collect_source(struct live *live, struct live_page *page);
int live_collect_disassembly(struct live *live, struct live_page *page);
int live_collect_help(struct live *live, struct live_page *page);
int live_collect_output(struct live *live, struct live_page *page);
/* Adds a row for each line of page->text, which is split at the first call. 0 or -ENOMEM. */
int live_code_rows(struct live *live, struct live_page *page);
void live_tree_free(struct live_tree *tree);
/* Fold or unfold nodes. The next live_look() shows the result. */
void live_tree_fold(struct live *live, uint32_t node, enum live_fold fold, bool all_below);
void live_tree_fold_all(struct live *live, enum live_fold fold);
uint32_t live_tree_parent(const struct live *live, uint32_t node);
/* Finds the match after @node, in the order shown, and makes it visible. LIVE_NONE: none. */
uint32_t live_tree_search(struct live *live, uint32_t node, bool backwards);

/*
 * live_zoom.c: each function goes to another view, or shows a message that says why it cannot.
 * Parameters @view are of enum live_view. 0 or -ENOMEM.
 */
int live_zoom_in(struct live *live);
int live_zoom_out(struct live *live);
/*
 * In a thread's zoom, live_zoom_thread() zooms out. In the list of threads it zooms into the
 * cursor's thread, and elsewhere opens that list. In an object's zoom, live_zoom_object() zooms
 * out. Elsewhere it zooms into the object of the cursor's row, or opens the list of objects if the
 * row has none.
 */
int live_zoom_thread(struct live *live);
int live_zoom_object(struct live *live);
/* Opens source or instructions of the function at the cursor, or closes them. */
int live_zoom_code(struct live *live, int view);
/* Opens @view, the help or the command's output. Closes it if it is shown already. */
int live_zoom_text(struct live *live, int view);
int live_next_view(struct live *live, int step);
/* Shows @view, or the functions if @view is shown already. */
int live_toggle_view(struct live *live, int view);

/* live_columns.c: */
void live_sort(struct live *live, const struct live_page *page);
/* A thread's time is titled after the clock: "CPU%", "WALL%". */
const char *live_column_title(const struct live *live, const struct live_column *column);
bool live_column_shown(const struct live_column *column, unsigned columns);
/* Formats a cell in @to, of @room bytes; "" for names and texts. Returns the cell's style. */
unsigned live_format(const struct live *live, const struct live_row *row,
	const struct live_column *column, char *to, size_t room);
/* Returns the style for a weight's share. */
unsigned live_heat(const struct live *live, double value);
bool live_is_noise(const struct live *live, const struct live_row *row);

/* live_prompt.c: */
enum live_prompt_kind {
	PROMPT_NONE,
	PROMPT_SEARCH,
	PROMPT_FILTER,
	PROMPT_LIMIT,
	PROMPT_SAVE,
	PROMPT_DELAY
};
int live_prompt_open(struct live *live, int kind); /* @kind: enum live_prompt_kind; returns 0 */
int live_prompt_press(struct live *live, struct live_key key);
void live_show_all(struct live *live); /* removes the filter */
const char *live_prompt_label(const struct live *live);
int live_search(struct live *live, int backwards);

/* live_span.c: */
void live_span_release(struct live_span *span);
/* Computes the weights in the chosen span, if necessary. 0 or -ENOMEM. */
int live_span_update(struct live *live);
/* Formats the chosen span: "1.20 s to 1.40 s". */
void live_span_describe(const struct live *live, char *to, size_t room);
/* Returns a stack's weight in the chosen span. */
static inline double live_span_weight(const struct live_span *span, size_t stack)
{
	return stack < span->stacks ? span->weight[stack] : 0;
}

/* live_strip.c: */
int live_span_draw(struct live *live, struct screen *screen, unsigned row);
int live_span_toggle(struct live *live);
int live_span_press(struct live *live, int32_t code);

/* live_draw.c, live_head.c: */
void live_draw_head(struct live *live, struct screen *screen);
void live_see_audit(struct live *live, uint64_t begun_ns);

#endif
