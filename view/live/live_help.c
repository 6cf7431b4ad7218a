/* SPDX-License-Identifier: MIT */
/* Views that are prose: the help, made from the table of keys, and the command's output. */
#include <errno.h>
#include <string.h>

#include "view/live/live_internal.h"
#include "view/wrap.h"

/*
 * WIDEST: the column at which the widest line ends. INDENT: the column of keys and terms.
 * BEHIND_KEYS, BEHIND_TERM: the column of the text beside a key, beside a term.
 */
enum { WIDEST = 58, INDENT = 2, BEHIND_KEYS = 12, BEHIND_TERM = 10 };

/* The help below the keys. */
static const struct {
	const char *term, *text;
} about[] = {
	{"SELF%", "share of CPU time spent in the function itself"},
	{"TOTAL%", "in it and in what it called. Shares are of what the view is zoomed into"},
	{"dim", "noise: the 95 % confidence interval is wider than the share itself"},
	{"", ""},
	{"found",
		"samples, by their weights, of those that the kernel's CPU time lets expect, with "
		"the 95 % interval: 100 % is within it if sampling is true"},
	{"cost",
		"CPU time that sampling takes from the target, in percent of its own, and the "
		"bound on it"},
	{"stopped",
		"share of its running time that the target was stopped, which is a part of the "
		"cost"},
	{"lost", "samples that were lost"},
	{"late", "sampling instants that came too late for use"},
	{"real time", "the sampler has real-time priority, and comes at once"},
};

/* Prints @term from column @from, and @text from column @at on, wrapped before @end. */
static void define(FILE *out, int from, int at, unsigned end, const char *term, const char *text)
{
	size_t room = end > (unsigned)at + 1 ? end - (unsigned)at : 1, next;

	do {
		size_t bytes = wrap_piece(text, room, &next);

		(void)fprintf(out, "%*s%-*s%.*s\n", from, "", *term || bytes ? at - from : 0, term,
			(int)bytes, text);
		text += next;
		term = "";
	} while (*text);
}

static int write_help(const struct live *live, struct live_page *page)
{
	bool narrow = live->columns > 2 && live->columns < WIDEST + 2;
	unsigned end = narrow ? live->columns - 2 : WIDEST;
	size_t bytes;
	FILE *out = open_memstream(&page->text, &bytes);

	if (!out)
		return -ENOMEM;
	for (const struct live_binding *b = live_bindings; b->keys; b++)
		define(out, INDENT, BEHIND_KEYS, end, b->keys, b->help);
	(void)fputc('\n', out);
	for (size_t i = 0; i < sizeof(about) / sizeof(*about); i++)
		define(out, 0, BEHIND_TERM, end, about[i].term, about[i].text);
	return fclose(out) == 0 && page->text ? 0 : -ENOMEM;
}

/* The text is made anew each time, because the terminal may have another width. */
int live_collect_help(struct live *live, struct live_page *page)
{
	int r;

	live_page_release(page);
	r = write_help(live, page);
	return r < 0 ? r : live_code_rows(live, page);
}

int live_collect_output(struct live *live, struct live_page *page)
{
	const struct live_sources *sources = &live->options.sources;
	bool at_end = !page->opened || page->cursor + 1 >= page->lines;
	int r;

	live_page_release(page);
	if (sources->output && sources->output(sources->context, &page->text) == -ENOMEM)
		return -ENOMEM;
	r = page->text ? live_code_rows(live, page) : 0;
	/* A cursor at the end stays there while output is added, as with tail -f. */
	if (r == 0 && at_end && live->table.n) {
		page->cursor = live->table.n - 1;
		page->moved = false;
	}
	page->opened = true;
	return r;
}
