/* SPDX-License-Identifier: MIT */
/*
 * A page that opens from disk and loads nothing: flame graph, table of functions, and the source of
 * the hottest ones with the cost of each line. It can be read without scripts.
 */
#ifndef VIEW_EXPORT_HTML_H
#define VIEW_EXPORT_HTML_H

#include "base/text.h"
#include "view/rows.h"

struct html {
	const struct profile *profile;
	const struct report_options *options;
	struct rows functions, lines;
	struct text_scale *scale;
	uint32_t *source; /* by function's row: the number of its source + 1, 0 none */
	FILE *out;
};

/*
 * Writes the sources of the hottest functions (html_source.c) to @out; fills in html->source.
 * -ENOMEM.
 */
int html_sources(struct html *html, FILE *out);

/* Writes a share, "12.3 % ±0.9"; "" if it is 0. */
void html_share(const struct html *html, const struct row *row, int64_t value, char *to);

/* page.css and page.js, converted to C by the build. */
extern const char html_style[], html_script[];

#endif
