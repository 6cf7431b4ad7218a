/* SPDX-License-Identifier: MIT */
#include "view/export/html.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/export/exporters.h"
#include "view/export/svg.h"
#include "view/header.h"
#include "view/options.h"
#include "view/report/report.h"
#include "view/report/timeline_report.h"
#include "view/share.h"
#include "view/wall_types.h"

/* Maximum rows of the table of functions, as a larger page is slow. */
enum { ROWS_MOST = 1000 };
/*
 * The time line: columns of characters of a thread's strip, columns of a whole line, and the
 * maximum number of threads that have a strip.
 */
enum { STRIP_COLUMNS = 90, TIME_COLUMNS = 122, STRIPS_MOST = 24 };

static void put_value(const struct html *html, const struct row *row, int64_t value)
{
	char share[SHARE_BYTES], amount[TEXT_UNIT_BYTES];

	html_share(html, row, value, share);
	text_format_scaled(value, *html->scale, amount);
	fprintf(html->out, "<td data-v=\"%" PRId64 "\">", value);
	svg_text(html->out, share);
	fputs("</td><td>", html->out);
	svg_text(html->out, amount);
	fputs("</td>", html->out);
}

/*
 * Does the table show the parts of wall-clock time (on CPU, in the run queue, blocked)? As in the
 * report `flat`, it does if the profile has wall-clock time, and functions are sorted by CPU time
 * or wall-clock time.
 */
static bool has_wall(const struct html *html, struct wall_types *ret_wall)
{
	return wall_types_find(html->profile, ret_wall) &&
		(html->functions.weight == VALUE_CPU_NS ||
			html->functions.weight == ret_wall->wall);
}

static void put_wall(const struct html *html, const struct row *row)
{
	struct wall_types wall;
	char amount[TEXT_UNIT_BYTES];

	if (!has_wall(html, &wall))
		return;
	const int64_t parts[] = {row->self[VALUE_CPU_NS], wall_types_value(row->self, wall.queue),
		wall_types_value(row->self, wall.blocked)};
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		text_format_scaled(parts[i], *html->scale, amount);
		fprintf(html->out, "<td data-v=\"%" PRId64 "\">", parts[i]);
		svg_text(html->out, parts[i] ? amount : "");
		fputs("</td>", html->out);
	}
}

static void put_function(const struct html *html, size_t index)
{
	const struct row *row = &html->functions.row[index];
	size_t weight = html->functions.weight;
	bool linked = html->source[index];

	fputs("<tr>", html->out);
	put_value(html, row, row->self[weight]);
	put_value(html, row, row->total[weight]);
	fprintf(html->out, "<td data-v=\"%" PRId64 "\">%" PRId64 "</td>", row->self[VALUE_SAMPLES],
		row->self[VALUE_SAMPLES]);
	put_wall(html, row);
	fputs("<td title=\"", html->out);
	svg_text(html->out, row->object);
	fputs("\">", html->out);
	svg_text(html->out, text_basename(row->object));
	fputs("</td><td>", html->out);
	if (linked)
		fprintf(html->out, "<a href=\"#source-%" PRIu32 "\">", html->source[index]);
	svg_text(html->out, row->function);
	fputs(linked ? "</a></td></tr>\n" : "</td></tr>\n", html->out);
}

static void put_functions(const struct html *html)
{
	size_t n = html->functions.n < ROWS_MOST ? html->functions.n : ROWS_MOST;
	struct wall_types wall;

	fputs("<section id=\"functions\"><h2>Functions</h2>\n"
	      "<p><input type=\"search\" id=\"filter\" size=\"32\" hidden "
	      "placeholder=\"filter: part of a name\" aria-label=\"Filter functions\"></p>\n"
	      "<div class=\"wide\"><table id=\"flat\"><thead><tr><th>self</th><th></th>"
	      "<th>total</th><th></th><th>samples</th>",
		html->out);
	if (has_wall(html, &wall))
		fputs("<th>cpu</th><th>queue</th><th>blocked</th>", html->out);
	fputs("<th>object</th><th>function</th></tr></thead><tbody>\n", html->out);
	for (size_t i = 0; i < n; i++)
		put_function(html, i);
	fputs("</tbody></table></div>\n", html->out);
	if (n < html->functions.n)
		fprintf(html->out, "<p>%zu more functions, each with less, are not listed.</p>\n",
			html->functions.n - n);
	fputs("</section>\n", html->out);
}

/* Writes a text report as preformatted text. @title: its first line becomes the page's heading. */
static void put_text(const struct html *html, const char *text, bool title)
{
	const char *end = strchrnul(text, '\n');
	char *first = strndup(text, (size_t)(end - text));

	if (title && first) {
		fputs("<h1>", html->out);
		svg_text(html->out, first);
		fputs("</h1>\n", html->out);
		text = *end ? end + 1 : end;
	}
	free(first);
	fputs("<pre>", html->out);
	for (; *text; text = *end ? end + 1 : end) {
		char *line;

		end = strchrnul(text, '\n');
		line = strndup(text, (size_t)(end - text));
		if (line)
			svg_text(html->out, line);
		free(line);
		fputc('\n', html->out);
	}
	fputs("</pre>\n", html->out);
}

static int put_head(const struct html *html)
{
	char *text = NULL;
	size_t bytes;
	FILE *head = open_memstream(&text, &bytes);
	int r;

	if (!head)
		return -ENOMEM;
	r = header_print(html->profile, html->options, &html->functions, head);
	if (fclose(head) != 0)
		r = -ENOMEM;
	if (r == 0) {
		char *title = strndup(text, strcspn(text, "\n"));

		fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
		      /* Whatever a name contains, the page loads nothing. */
		      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		      "style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; "
		      "form-action 'none'\">\n"
		      "<meta name=\"viewport\" content=\"width=device-width\">\n<title>",
			html->out);
		svg_text(html->out, title ? title : "profile");
		fprintf(html->out, " - profile</title>\n<style>\n%s</style></head>\n<body>\n",
			html_style);
		put_text(html, text, true);
		free(title);
	}
	free(text);
	return r;
}

static int put_notes(const struct html *html)
{
	char *text = NULL;
	size_t bytes;
	FILE *foot = open_memstream(&text, &bytes);
	int r;

	if (!foot)
		return -ENOMEM;
	r = report_audit(html->profile, REPORT_AUDIT_LINE, false, 0, foot);
	if (fclose(foot) != 0 || r < 0) {
		free(text);
		return -ENOMEM;
	}
	fputs("<section id=\"audit\"><h2>Audit</h2>\n", html->out);
	put_text(html, text, false);
	fputs("</section>\n", html->out);
	free(text);
	return 0;
}

/*
 * Prints the time line. @value: the name of the value type shown; NULL: the one that the report
 * `timeline` shows. 0; -ENOMEM; 1: nothing printed, because the profile has no time line.
 */
static int print_strips(const struct html *html, const char *value, FILE *out)
{
	struct report_options options = *html->options;
	struct time_grid grid;
	char *problem = NULL;
	int r;

	options.format = REPORT_TEXT;
	options.width = TIME_COLUMNS;
	options.value = value ? value : options.value;
	if (!options.limit || options.limit > STRIPS_MOST)
		options.limit = STRIPS_MOST;
	r = time_grid_init(&grid, html->profile, &options, STRIP_COLUMNS, &problem);
	free(problem);
	if (r < 0)
		return r == -ENOMEM ? r : 1;
	r = timeline_body(&grid, out);
	time_grid_release(&grid);
	return r;
}

/*
 * Prints the time line. If it has wall-clock time, two groups of strips follow each other: when
 * threads ran, and when they were blocked. *@ret_text, which the caller frees, is NULL if there is
 * no time line. 0 or -ENOMEM.
 */
static int print_time(const struct html *html, char **ret_text)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	struct wall_types wall;
	int r = out ? print_strips(html, NULL, out) : -ENOMEM;

	if (r == 0 && !html->options->value && wall_types_find(html->profile, &wall)) {
		fputs("\nblocked:\n", out);
		r = print_strips(html, "blocked", out);
	}
	if (out && fclose(out) != 0)
		r = -ENOMEM;
	if (r) {
		free(text);
		text = NULL;
	}
	*ret_text = text;
	return r < 0 ? r : 0;
}

static void put_time(const struct html *html, const char *text)
{
	if (!text)
		return;
	fputs("<section id=\"time\"><h2>Time line</h2>\n", html->out);
	put_text(html, text, false);
	fputs("</section>\n", html->out);
}

static int put_page(struct html *html, const struct report_options *given, char **ret_problem)
{
	char *sources = NULL, *time = NULL;
	size_t bytes;
	FILE *text = open_memstream(&sources, &bytes);
	int r = text ? html_sources(html, text) : -ENOMEM;

	if (text && fclose(text) != 0)
		r = -ENOMEM;
	if (r == 0)
		r = print_time(html, &time);
	if (r == 0)
		r = put_head(html);
	if (r == 0) {
		fprintf(html->out,
			"<nav><a href=\"#graph\">Flame graph</a> %s"
			"<a href=\"#functions\">Functions</a> "
			"<a href=\"#sources\">Source</a> <a href=\"#audit\">Audit</a></nav>\n"
			"<section id=\"graph\"><h2>Flame graph</h2>\n",
			time ? "<a href=\"#time\">Time line</a> " : "");
		r = svg_write_element(html->profile, given, html->out, ret_problem);
	}
	if (r == 0) {
		fputs("</section>\n", html->out);
		put_time(html, time);
		put_functions(html);
		fputs("<section id=\"sources\"><h2>Source</h2>\n", html->out);
		fputs(sources, html->out);
		fputs("</section>\n", html->out);
		r = put_notes(html);
	}
	if (r == 0)
		fprintf(html->out, "<script>\n%s</script>\n</body></html>\n", html_script);
	free(time);
	free(sources);
	return r;
}

int html_write(const struct profile *profile, const struct report_options *given, FILE *out,
	char **ret_problem)
{
	struct report_options options = options_take(given);
	struct html html = {.profile = profile, .options = &options, .out = out};
	struct report_options of_lines;
	struct text_scale scale;
	int r;

	options.color = options.ascii = false;
	options.width = 0;
	options.split = REPORT_SPLIT_NONE;
	r = rows_collect(profile, &options, ROWS_BY_FUNCTION, &html.functions, ret_problem);
	if (r < 0)
		return r;
	/*
	 * Limits of the options leave out functions, not lines: all lines of a function in the
	 * table are shown with their costs.
	 */
	of_lines = options;
	of_lines.limit = 0;
	of_lines.min_percent = 0;
	r = rows_collect(profile, &of_lines, ROWS_BY_LINE, &html.lines, ret_problem);
	if (r == 0) {
		scale = text_scale_for(profile_value_type(profile, html.functions.weight).unit,
			html.functions.chosen[html.functions.weight]);
		html.scale = &scale;
		html.source = calloc(html.functions.n + 1, sizeof(*html.source));
		r = html.source ? put_page(&html, given, ret_problem) : -ENOMEM;
		rows_release(&html.lines);
	}
	free(html.source);
	rows_release(&html.functions);
	return r;
}
