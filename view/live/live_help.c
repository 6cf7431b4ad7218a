/* SPDX-License-Identifier: MIT */
/* Views that are prose: the help, generated from the table of keys, and the command's output. */
#include <errno.h>
#include <string.h>

#include "view/live/live_code.h"
#include "view/live/live_internal.h"

/* The text of the help below the keys. Its lines fit in a terminal of 60 columns. */
static const char about[] = "SELF%     share of CPU time spent in the function itself\n"
			    "TOTAL%    in it and in what it called. Shares are of what\n"
			    "          the view is zoomed into\n"
			    "dim       noise: the 95 % confidence interval is wider\n"
			    "          than the share itself\n"
			    "\n"
			    "found     samples, by their weights, of those that the\n"
			    "          kernel's CPU time lets expect, with the 95 %\n"
			    "          interval: 100 % is within it if sampling is true\n"
			    "cost      CPU time that sampling takes from the target,\n"
			    "          in percent of its own, and the bound on it\n"
			    "stopped   share of its running time that the target was\n"
			    "          stopped, which is a part of the cost\n"
			    "lost      samples that were lost\n"
			    "late      sampling instants that came too late for use\n"
			    "real time the sampler has real-time priority, and comes\n"
			    "          at once\n";

static int write_help(struct live_page *page)
{
	size_t bytes;
	FILE *out = open_memstream(&page->text, &bytes);
	const char *keys, *help;

	if (!out)
		return -ENOMEM;
	for (size_t i = 0; live_key_help(i, &keys, &help); i++)
		(void)fprintf(out, "  %-9s %s\n", keys, help);
	(void)fprintf(out, "\n%s", about);
	return fclose(out) == 0 && page->text ? 0 : -ENOMEM;
}

int live_collect_help(struct live *live, struct live_page *page)
{
	int r = page->text ? 0 : write_help(page);

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
	/* A cursor at the end stays at the end while output is added, as with tail -f. */
	if (r == 0 && at_end && live->table.n) {
		page->cursor = live->table.n - 1;
		page->moved = false;
	}
	page->opened = true;
	return r;
}
