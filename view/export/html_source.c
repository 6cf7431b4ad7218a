/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/table.h"
#include "base/text.h"
#include "view/export/html.h"
#include "view/export/svg.h"
#include "view/share.h"
#include "view/source.h"

/*
 * FUNCTIONS_MOST: at most so many functions have source in the page. LINES_MOST: at most so many
 * lines of source are in the page, because a larger page is slow. CONTEXT: how many lines are shown
 * before a line with samples.
 */
enum { FUNCTIONS_MOST = 150, LINES_MOST = 40000, CONTEXT = 8 };

/* Functions with a lower share have no source in the page. */
#define LEAST_SHARE 0.001

struct file {
	const char *name;
	struct source source;
};

struct sources {
	struct html *html;
	FILE *out;
	struct file *file;
	size_t files, file_room;
	size_t *order;  /* rows of html->lines, sorted by function, object, file and line */
	size_t printed; /* lines written */
	uint32_t n;     /* sources written */
};

void html_share(const struct html *html, const struct row *row, int64_t value, char *to)
{
	to[0] = '\0';
	if (value)
		share_format(&html->lines, false, row->unsampled, value, to);
	/* Remove the blanks that align shares in a column of text. */
	for (size_t n = strlen(to); n && to[n - 1] == ' '; n--)
		to[n - 1] = '\0';
}

static int compare_keys(const struct row *x, const struct row *y)
{
	int r = strcmp(x->function, y->function);

	r = r ? r : strcmp(x->object, y->object);
	return r ? r : strcmp(x->file, y->file);
}

static int compare_lines(const void *a, const void *b, void *context)
{
	const struct row *row = context;
	const struct row *x = &row[*(const size_t *)a], *y = &row[*(const size_t *)b];
	int r = compare_keys(x, y);

	return r ? r : x->line < y->line ? -1 : x->line > y->line;
}

/* Returns the source file, which is read at the first call; NULL: out of memory. */
static const struct source *source_of(struct sources *s, const char *name)
{
	for (size_t i = 0; i < s->files; i++) {
		if (!strcmp(s->file[i].name, name))
			return &s->file[i].source;
	}
	if (array_grow(&s->file, &s->file_room, s->files + 1) < 0)
		return NULL;
	s->file[s->files].name = name;
	if (source_read(&s->file[s->files].source, s->html->profile, s->html->options->code, name,
		    true, SOURCE_TAB) < 0)
		return NULL;
	return &s->file[s->files++].source;
}

/*
 * Finds a function's lines in s->order, from index @from on. They are at *@ret_first, up to before
 * *@ret_end. False: there are none.
 */
static bool find_lines(const struct sources *s, const struct row *function, size_t from,
	size_t *ret_first, size_t *ret_end)
{
	const struct rows *lines = &s->html->lines;
	size_t low = from, high = lines->n, end;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct row *row = &lines->row[s->order[middle]];
		int r = strcmp(row->function, function->function);

		r = r ? r : strcmp(row->object, function->object);
		if (r < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < lines->n; end++) {
		const struct row *row = &lines->row[s->order[end]];

		if (strcmp(row->function, function->function) != 0 ||
			strcmp(row->object, function->object) != 0)
			break;
	}
	*ret_first = low;
	*ret_end = end;
	return end > low;
}

static uint32_t declared_at(
	const struct sources *s, const struct row *function, const char *file, uint32_t before)
{
	const struct profile *profile = s->html->profile;

	for (size_t i = 0; i < profile_functions(profile); i++) {
		struct function at = profile_function(profile, i);

		if (at.line && at.line <= before && before - at.line < 1000 &&
			(!strcmp(at.name, function->function) ||
				!strcmp(at.symbol, function->function)) &&
			!strcmp(at.file, file))
			return at.line;
	}
	return before > CONTEXT ? before - CONTEXT : 1;
}

/*
 * Returns a colour class: 0 for a line without samples, 1 to 7 for one with samples. 7 is the
 * hottest line of the table. A line with less than 0.2 % of the profile is always 1.
 */
static unsigned heat_of(const struct html *html, int64_t self, int64_t most)
{
	double part = most > 0 ? (double)self / (double)most : 0;

	if (self <= 0)
		return 0;
	if (share_of(&html->lines, self) < 0.002)
		return 1;
	return 1 + (unsigned)(part * 6.99);
}

static void put_line(struct sources *s, const struct source *source, uint32_t number,
	const struct row *row, int64_t most)
{
	static const struct row nothing = {.object = ""};
	const struct html *html = s->html;
	size_t weight = html->lines.weight;
	const char *text = source_line(source, number);
	char share[SHARE_BYTES];

	row = row ? row : &nothing;
	fprintf(s->out, "<tr class=\"h%u\"><td>", heat_of(html, row->self[weight], most));
	html_share(html, row, row->self[weight], share);
	svg_text(s->out, share);
	fputs("</td><td>", s->out);
	if (row->total[weight])
		fprintf(s->out, "%.1f %%", share_of(&html->lines, row->total[weight]) * 100);
	fprintf(s->out, "</td><td>%" PRIu32 "</td><td>", number);
	svg_text(s->out, text ? text : "");
	fputs("</td></tr>\n", s->out);
	s->printed++;
}

/*
 * Writes a table of source lines of one file: the lines of s->order from @first to before @end, and
 * the lines around them.
 */
static int put_file(struct sources *s, const struct row *function, size_t first, size_t end)
{
	const struct rows *lines = &s->html->lines;
	const char *name = lines->row[s->order[first]].file;
	const struct source *source = source_of(s, name);
	uint32_t done = 0, from, last = lines->row[s->order[end - 1]].line;
	int64_t most = 0;

	if (!source)
		return -ENOMEM;
	for (size_t i = first; i < end; i++) {
		int64_t self = lines->row[s->order[i]].self[lines->weight];

		most = self > most ? self : most;
	}
	fputs("<p class=\"file\">", s->out);
	svg_text(s->out, source->path ? source->path : name);
	fputs("</p>\n", s->out);
	if (source->problem || source->note) {
		fputs("<p class=\"missing\">", s->out);
		svg_text(s->out, source->problem ? source->problem : source->note);
		fputs("</p>\n", s->out);
	}
	fputs("<table class=\"code\"><tbody>\n", s->out);
	from = declared_at(s, function, name, lines->row[s->order[first]].line);
	for (size_t i = first; i < end; i++) {
		const struct row *row = &lines->row[s->order[i]];
		uint32_t begin = row->line > CONTEXT ? row->line - CONTEXT : 1;

		begin = begin < from ? from : begin;
		if (done && begin > done + 1)
			fputs("<tr><td></td><td></td><td>\xe2\x8b\xae</td><td></td></tr>\n",
				s->out);
		begin = begin <= done ? done + 1 : begin;
		for (uint32_t j = source->text ? begin : row->line; j < row->line; j++)
			put_line(s, source, j, NULL, most);
		put_line(s, source, row->line, row, most);
		done = row->line;
	}
	for (uint32_t i = last + 1; i <= last + CONTEXT / 2 && source_line(source, i); i++) {
		const char *before = source_line(source, i - 1);

		if (before && before[0] == '}')
			break;
		put_line(s, source, i, NULL, most);
	}
	fputs("</tbody></table>\n", s->out);
	return 0;
}

static int put_function(struct sources *s, size_t index, size_t first, size_t end)
{
	const struct html *html = s->html;
	const struct row *function = &html->functions.row[index];
	char share[SHARE_BYTES];
	int r = 0;

	html->source[index] = ++s->n;
	html_share(html, function, function->self[html->functions.weight], share);
	fprintf(s->out, "<details id=\"source-%" PRIu32 "\"%s><summary><b>", s->n,
		s->n <= 5 ? " open" : "");
	svg_text(s->out, share[0] ? share : "0 %");
	fputs("</b> ", s->out);
	svg_text(s->out, function->function);
	fputs(" <i>", s->out);
	svg_text(s->out, text_basename(function->object));
	fputs("</i></summary>\n", s->out);
	for (size_t i = first, next; i < end && r == 0; i = next) {
		const struct row *row = &html->lines.row[s->order[i]];

		for (next = i + 1;
			next < end && !strcmp(html->lines.row[s->order[next]].file, row->file);)
			next++;
		/* Rows without a line number, which cannot be shown, come first. */
		while (i < next && !html->lines.row[s->order[i]].line)
			i++;
		if (i < next && row->file[0])
			r = put_file(s, function, i, next);
	}
	fputs("</details>\n", s->out);
	return r;
}

static bool has_lines(const struct sources *s, size_t first, size_t end)
{
	for (size_t i = first; i < end; i++) {
		const struct row *row = &s->html->lines.row[s->order[i]];

		if (row->line && row->file[0])
			return true;
	}
	return false;
}

static int put_all(struct sources *s)
{
	const struct html *html = s->html;
	const struct rows *functions = &html->functions;
	int r = 0;

	for (size_t i = 0; i < functions->n && r == 0; i++) {
		const struct row *row = &functions->row[i];
		size_t first, end;

		if (s->n >= FUNCTIONS_MOST || s->printed >= LINES_MOST)
			break;
		if (share_of(functions, row->self[functions->weight]) < LEAST_SHARE ||
			!find_lines(s, row, 0, &first, &end) || !has_lines(s, first, end))
			continue;
		r = put_function(s, i, first, end);
	}
	if (r == 0 && !s->n)
		fputs("<p>No line of what is hot is known: build with -g, or install the debug "
		      "symbols.</p>\n",
			s->out);
	return r;
}

int html_sources(struct html *html, FILE *out)
{
	struct sources s = {.html = html, .out = out};
	int r;

	s.order = calloc(html->lines.n + 1, sizeof(*s.order));
	if (!s.order)
		return -ENOMEM;
	for (size_t i = 0; i < html->lines.n; i++)
		s.order[i] = i;
	qsort_r(s.order, html->lines.n, sizeof(*s.order), compare_lines, html->lines.row);
	r = put_all(&s);
	for (size_t i = 0; i < s.files; i++)
		source_release(&s.file[i].source);
	free(s.file);
	free(s.order);
	return r;
}
