/* SPDX-License-Identifier: MIT */
/*
 * An HTML page in one file, which loads nothing: flame graph, table of functions, and source of the
 * hottest functions with the cost of each line. Scripts are not necessary.
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
	uint32_t *source; /* by row of @functions: number of its source, from 1; 0: none */
	FILE *out;
};

/* Writes the sources of the hottest functions to @out, and sets html->source. 0 or -ENOMEM. */
int html_sources(struct html *html, FILE *out);

/* Formats "12.3 ±0.9 %" in @to (SHARE_BYTES); "" if @value is 0. */
void html_share(const struct html *html, const struct row *row, int64_t value, char *to);

/* page.css and page.js, converted to C by the build. */
extern const char html_style[], html_script[];

#endif
