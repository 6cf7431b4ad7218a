/* SPDX-License-Identifier: MIT */
/* The state of the live view: the open views, updates from the profile, the cursor. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "view/live/live_internal.h"

#define SECOND_NS    UINT64_C(1000000000)
#define SOON_NS      (SECOND_NS / 10)
#define HALF_LIFE_NS (10 * SECOND_NS)

/* Returns the name of a possible initial view; NULL past the end. */
static const char *view_name(size_t index)
{
	return index <= LIVE_OBJECTS ? live_views[index].name : NULL;
}

static int find_view(const char *name, enum live_view *ret_view)
{
	for (size_t i = 0; view_name(i); i++) {
		if (!strcmp(view_name(i), name)) {
			*ret_view = (enum live_view)i;
			return 0;
		}
	}
	return -EINVAL;
}

int live_new(const struct live_options *options, struct live **ret_live)
{
	struct live *live = calloc(1, sizeof(*live));
	enum live_view view = LIVE_FUNCTIONS;
	size_t bytes = sizeof(*options);
	int r = live ? 0 : -ENOMEM;

	if (r == 0 && options->size < bytes)
		bytes = options->size;
	if (r == 0)
		memcpy(&live->options, options, bytes);
	if (r == 0 && live->options.view)
		r = find_view(live->options.view, &view);
	if (r == 0)
		r = places_init(&live->functions, NULL, NULL, ROWS_BY_FUNCTION);
	if (r == 0)
		r = places_init(&live->lines, NULL, NULL, ROWS_BY_LINE);
	if (r < 0) {
		if (live)
			places_release(&live->functions);
		free(live);
		return r;
	}
	live_weights_init(&live->weights,
		(double)(live->options.half_life_ns ? live->options.half_life_ns : HALF_LIFE_NS));
	live->delay_ns = live->options.delay_ns ? live->options.delay_ns : SECOND_NS;
	live->period_ns = live->options.period_ns;
	live->decay = !live->options.totals;
	live->value = VALUE_CPU_NS;
	(void)snprintf(live->save_as, sizeof(live->save_as), "%s",
		live->options.save_as ? live->options.save_as : "sproftop.pb.gz");
	live->page[0] = (struct live_page){.view = view, .place = LIVE_NONE, .sort = -1};
	live->pages = 1;
	*ret_live = live;
	return 0;
}

void live_free(struct live *live)
{
	if (!live)
		return;
	while (live->pages)
		live_page_release(&live->page[--live->pages]);
	live_weights_release(&live->weights);
	places_release(&live->functions);
	places_release(&live->lines);
	live_tree_free(live->tree);
	live_span_release(&live->span);
	if (live->has_search)
		regfree(&live->search_regex);
	if (live->has_filter)
		regfree(&live->filter_regex);
	free(live->control.save_as);
	free(live->table.row);
	free(live->thread);
	free(live->self);
	free(live->total);
	free(live->stamp);
	free(live->place_matches);
	free(live);
}

struct control *live_control(struct live *live)
{
	return &live->control;
}

bool live_wants_threads(const struct live *live)
{
	return live->page[live->pages - 1].view == LIVE_THREADS;
}

uint64_t live_due_ns(const struct live *live)
{
	return live->paused ? UINT64_MAX : live->due_ns;
}

static int take_facts(struct live *live, const struct live_facts *facts)
{
	if (array_grow(&live->thread, &live->thread_room, facts->threads + 1) < 0)
		return -ENOMEM;
	if (facts->threads)
		memcpy(live->thread, facts->thread, facts->threads * sizeof(*live->thread));
	live->threads = facts->threads;
	(void)snprintf(live->target, sizeof(live->target), "%s", facts->target);
	live->state = facts->state;
	live->status = facts->status;
	live->signal = facts->signal;
	return 0;
}

/* The first updates follow quickly: names appear before a whole delay has passed. */
static uint64_t until_next(const struct live *live, uint64_t begun_ns)
{
	bool fresh = begun_ns && live->now_ns < begun_ns + live->delay_ns;

	return fresh && live->delay_ns > SOON_NS ? SOON_NS : live->delay_ns;
}

int live_update(struct live *live, const struct profile *profile, const struct live_facts *facts,
	uint64_t now_ns)
{
	bool ended = facts->state >= LIVE_ENDED && live->state < LIVE_ENDED;
	size_t threads = live->threads;
	bool first = !live->weights.begun;
	int r;

	if (!live->clock_chosen && profile && profile_default_value(profile) != SIZE_MAX)
		live->value = profile_default_value(profile);
	live->profile = profile;
	live->now_ns = now_ns;
	r = take_facts(live, facts);
	if (r < 0)
		return r;
	live_see_audit(live, facts->begun_ns);
	if (live_wants_threads(live) && !threads && live->threads && now_ns < live->due_ns)
		return live_look(live);
	if (live->paused || (now_ns < live->due_ns && !ended))
		return 0;
	live->due_ns = now_ns + until_next(live, facts->begun_ns);
	if (first)
		live_weights_begin(&live->weights,
			facts->begun_ns && facts->begun_ns < now_ns ? facts->begun_ns : now_ns);
	/* After the target's end, weights stay as they were. */
	if (live->state < LIVE_ENDED || ended || first)
		r = live_weights_update(
			&live->weights, profile, facts->factor, facts->factors, now_ns);
	if (r == 0)
		r = places_update(&live->functions, profile, NULL);
	if (r == 0)
		r = places_update(&live->lines, profile, &live->functions);
	return r < 0 ? r : live_look(live);
}

/* Removes the rows that the filter does not match, or that are below the minimum share. */
static void leave_out(struct live *live)
{
	struct live_table *table = &live->table;
	double least = table->whole * live->min_percent / 100;
	size_t kept = 0;

	table->of = table->n;
	for (size_t i = 0; i < table->n; i++) {
		const struct live_row *row = &table->row[i];

		if (row->relation != LIVE_ITSELF &&
			((live->min_percent > 0 && row->self < least && row->total < least) ||
				(live->has_filter && !live_matches(live, row, false))))
			continue;
		table->row[kept++] = *row;
	}
	table->n = kept;
}

/*
 * After an update, a cursor that the user moved stays on its row, wherever that row is now. Any
 * other cursor stays at its position in the table.
 */
static void settle_cursor(struct live *live, struct live_page *page)
{
	const struct live_table *table = &live->table;

	for (size_t i = 0; page->moved && i < table->n; i++) {
		if (table->row[i].id == page->cursor_id) {
			page->cursor = i;
			return;
		}
	}
	if (page->cursor >= table->n)
		page->cursor = table->n ? table->n - 1 : 0;
	if (page->moved && table->n)
		page->cursor_id = table->row[page->cursor].id;
}

int live_look(struct live *live)
{
	struct live_page *page = live_page(live);
	const struct live_view_ops *view = &live_views[page->view];
	int r;

	live->table.n = live->table.of = 0;
	if (!live->profile)
		return 0;
	if (live->value >= profile_value_types(live->profile))
		live->value = VALUE_CPU_NS;
	r = live_span_update(live);
	if (r < 0)
		return r;
	live_set_whole(live, 0);
	r = view->collect(live, page);
	if (r < 0)
		return r;
	live->table.of = live->table.n;
	if (!view->is_text) {
		/* The call tree has already been filtered and sorted. */
		if (page->view != LIVE_TREE) {
			leave_out(live);
			live_sort(live, page);
		}
	}
	settle_cursor(live, page);
	return 0;
}

int live_open(struct live *live, const struct live_page *page)
{
	if (live->pages == LIVE_PAGES_MOST) {
		live_complain(live, "no more than 32 views: Esc closes one");
		return 0;
	}
	live->page[live->pages++] = *page;
	return live_look(live);
}

void live_close(struct live *live)
{
	if (live->pages < 2)
		return;
	live_page_release(live_page(live));
	live->pages--;
}

void live_set_view(struct live *live, enum live_view view)
{
	struct live_page *page = live_page(live), fresh;

	/* Texts and callers are on top of a list: close them first. */
	while (live->pages > 1 && (live_views[page->view].is_text || page->view == LIVE_CALLERS)) {
		live_close(live);
		page = live_page(live);
	}
	fresh = live_page_beside(page, view);
	live_page_release(page);
	*page = fresh;
}

/* Moves the first visible row, because prose has no visible cursor. */
static void live_scroll(struct live *live, long rows)
{
	struct live_page *page = live_page(live);
	size_t n = live->table.n, shown = live->rows_shown ? live->rows_shown : 1;
	size_t most = n > shown ? n - shown : 0, at = page->top;

	if (rows < 0)
		at = at > (size_t)-rows ? at - (size_t)-rows : 0;
	else
		at = most - (at < most ? at : most) > (size_t)rows ? at + (size_t)rows : most;
	page->top = page->cursor = at;
	page->moved = false;
}

void live_move(struct live *live, long rows)
{
	struct live_page *page = live_page(live);
	size_t n = live->table.n;

	if (!n)
		return;
	if (live_views[page->view].is_prose) {
		live_scroll(live, rows);
		return;
	}
	if (rows < 0)
		page->cursor = page->cursor > (size_t)-rows ? page->cursor - (size_t)-rows : 0;
	else
		page->cursor =
			n - 1 - page->cursor > (size_t)rows ? page->cursor + (size_t)rows : n - 1;
	/* A cursor on the first row stays there: that row is usually the hottest. */
	page->moved = page->cursor > 0;
	page->cursor_id = live->table.row[page->cursor].id;
}
