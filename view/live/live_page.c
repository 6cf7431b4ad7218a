/* SPDX-License-Identifier: MIT */
/* What every open view has: text, rows, the cursor's row, and a message. */
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "view/live/live_internal.h"

void live_page_release(struct live_page *page)
{
	free(page->text);
	free(page->line);
	free(page->problem);
	free(page->note);
	page->text = page->problem = page->note = NULL;
	page->line = NULL;
	page->lines = 0;
}

void live_say(struct live *live, const char *message)
{
	(void)snprintf(live->message, sizeof(live->message), "%s", message);
	live->message_is_bad = false;
}

void live_complain(struct live *live, const char *message)
{
	live_say(live, message);
	live->message_is_bad = true;
}

int live_add_row(struct live *live, const struct live_row *row)
{
	struct live_table *table = &live->table;

	return array_add(&table->row, &table->room, &table->n, *row);
}

bool live_matches(const struct live *live, const struct live_row *row, bool search)
{
	const regex_t *regex = search ? &live->search_regex : &live->filter_regex;
	const char *text[3] = {row->name, row->object, row->text};

	for (size_t i = 0; i < 3; i++) {
		if (text[i] && !regexec(regex, text[i], 0, NULL, 0))
			return true;
	}
	return false;
}

struct live_row *live_row(struct live *live)
{
	struct live_page *page = live_page(live);

	return page->cursor < live->table.n ? &live->table.row[page->cursor] : NULL;
}
