/* SPDX-License-Identifier: MIT */
/*
 * Opens other views: zooms into a row, zooms out again, or shows the same thread or object in
 * another way.
 */
#include "view/live/live_internal.h"

int live_zoom_in(struct live *live)
{
	const struct live_row *row = live_row(live);
	struct live_page page = *live_page(live), next = live_page_beside(&page, LIVE_FUNCTIONS);

	if (!row) {
		live_complain(live, "there is no row to zoom into");
		return 0;
	}
	switch (page.view) {
	case LIVE_FUNCTIONS:
	case LIVE_LINES:
	case LIVE_CALLERS:
		if (row->place == LIVE_NONE ||
			(page.view == LIVE_CALLERS && row->place == page.place)) {
			live_complain(live,
				row->place == LIVE_NONE ? "this row stands for no function"
							: "its callers and callees are shown");
			return 0;
		}
		next.view = page.view == LIVE_LINES ? LIVE_SOURCE : LIVE_CALLERS;
		next.place = row->place;
		return live_open(live, &next);
	case LIVE_TREE:
		next.view = LIVE_TREE;
		next.root = row->id;
		return live_open(live, &next);
	case LIVE_THREADS:
		next.view = page.below;
		next.tid = row->tid;
		next.pid = row->pid;
		return live_open(live, &next);
	case LIVE_OBJECTS:
		next.view = page.below;
		next.object = row->name;
		return live_open(live, &next);
	default: live_complain(live, "there is nothing to zoom into: Esc goes back"); return 0;
	}
}

int live_zoom_out(struct live *live)
{
	if (live->pages > 1)
		live_close(live);
	else if (live_page(live)->tid || live_page(live)->object)
		live_page(live)->tid = 0, live_page(live)->object = NULL;
	else if (live->has_filter)
		live_show_all(live);
	else
		live_complain(live, "nothing is zoomed into: q quits");
	return live_look(live);
}

int live_zoom_thread(struct live *live)
{
	struct live_page *page = live_page(live), next;

	if (page->tid) {
		page->tid = 0;
		return live_look(live);
	}
	if (page->view == LIVE_THREADS)
		return live_zoom_in(live);
	live_say(live, "Enter zooms into a thread");
	next = live_page_beside(page, LIVE_THREADS);
	next.below = page->view <= LIVE_TREE ? page->view : LIVE_FUNCTIONS;
	return live_open(live, &next);
}

int live_zoom_object(struct live *live)
{
	struct live_page *page = live_page(live), next;
	const struct live_row *row = live_row(live);

	if (page->object) {
		page->object = NULL;
		return live_look(live);
	}
	next = live_page_beside(page, page->view <= LIVE_TREE ? page->view : LIVE_FUNCTIONS);
	if (row && row->object && row->object[0]) {
		next.object = row->object;
	} else {
		next.below = next.view;
		next.view = LIVE_OBJECTS;
	}
	return live_open(live, &next);
}

int live_zoom_code(struct live *live, int view)
{
	const struct live_page *page = live_page(live);
	const struct live_row *row = live_row(live);
	uint32_t place = LIVE_NONE;
	struct live_page next;

	if ((int)page->view == view)
		return live_zoom_out(live);
	if (page->view == LIVE_SOURCE || page->view == LIVE_DISASSEMBLY)
		place = page->place;
	else if (row)
		place = row->place;
	if (place == LIVE_NONE) {
		live_complain(live,
			page->view == LIVE_OBJECTS
				? "an object has no one source: Enter shows its functions"
				: "choose a row with a function first: Esc, then l or g");
		return 0;
	}
	next = live_page_beside(page, view);
	next.place = place;
	next.object = NULL;
	return live_open(live, &next);
}

int live_zoom_text(struct live *live, int view)
{
	if ((int)live_page(live)->view == view)
		return live_zoom_out(live);
	return live_open(live, &(struct live_page){.view = view, .sort = -1, .place = LIVE_NONE});
}

int live_next_view(struct live *live, int step)
{
	enum live_view view = live_page(live)->view;
	int n = LIVE_OBJECTS + 1, at = view <= LIVE_OBJECTS ? (int)view : 0;

	live_set_view(live, (enum live_view)((at + step + n) % n));
	return live_look(live);
}

int live_toggle_view(struct live *live, int view)
{
	live_set_view(live, (int)live_page(live)->view == view ? LIVE_FUNCTIONS : view);
	return live_look(live);
}
