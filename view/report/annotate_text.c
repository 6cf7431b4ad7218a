/* SPDX-License-Identifier: MIT */
#include "view/report/annotate_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/header.h"
#include "view/report/report.h"
#include "view/share.h"
#include "view/wrap.h"

/* CONTEXT: lines around one with samples. WIDE: minimum width of a report that shows times. */
enum { CONTEXT = 3, WIDE = 100 };

static size_t indent_of(const char *text)
{
	return strspn(text, " ");
}

static int put_line(const struct annotate_printing *p, uint32_t number, size_t index)
{
	static const struct row nothing;
	const struct annotate *a = p->annotate;
	const char *text = source_line(&p->source, number);
	size_t indent = text ? indent_of(text) : 0;
	const struct row *row = index < a->lines ? &a->line[index].row : &nothing;
	int r;

	if (text)
		text += indent < p->indent ? indent : p->indent;
	r = annotate_put_row(p, row, true, number, "", text ? text : "");
	if (index >= a->lines || r < 0)
		return r;
	r = annotate_put_inlined(p, index, indent > p->indent ? indent - p->indent : 0);
	return r < 0 ? r : annotate_put_instructions(p, (uint32_t)index);
}

static void find_indent(struct annotate_printing *p, uint32_t first, uint32_t last)
{
	p->indent = SIZE_MAX;
	for (uint32_t i = first; i <= last; i++) {
		const char *text = source_line(&p->source, i);
		size_t indent = text ? indent_of(text) : 0;

		if (text && text[indent] && indent < p->indent)
			p->indent = indent;
	}
	if (p->indent == SIZE_MAX)
		p->indent = 0;
}

/* Prints context before line @number, up to @upto (exclusive). *@done: the last line printed. */
static int put_around(struct annotate_printing *p, uint32_t *done, uint32_t upto, uint32_t number)
{
	uint32_t from = number > CONTEXT ? number - CONTEXT : 1;
	int r = 0;

	if (from < p->declared && number >= p->declared)
		from = p->declared;
	if (from <= *done)
		from = *done + 1;
	if (*done && from > *done + 1)
		fprintf(p->out, "%*s\n", (int)(annotate_columns_before(p) + 1), "...");
	for (uint32_t i = from; i < upto && r == 0; i++)
		r = put_line(p, i, SIZE_MAX);
	*done = upto - 1;
	return r;
}

/* Prints the context behind *@done (the last line printed), as far as before line @before. */
static int put_behind(struct annotate_printing *p, uint32_t *done, uint32_t before)
{
	int r = 0;

	for (unsigned i = 0; i < CONTEXT && *done && *done + 1 < before && r == 0; i++) {
		const char *before_it = source_line(&p->source, *done);

		/* A closing bracket in the first column ends the function. */
		if (!source_line(&p->source, *done + 1) || (before_it && before_it[0] == '}'))
			break;
		r = put_line(p, ++*done, SIZE_MAX);
	}
	return r;
}

/* Prints p->order[@first] to [@last], lines of one file. @own: the file declares the function. */
static int put_lines(struct annotate_printing *p, size_t first, size_t last, bool own)
{
	const struct annotate *a = p->annotate;
	uint32_t done = 0, declared = own ? a->declared : 0;
	int r = 0;

	p->declared = declared;
	find_indent(p, declared ? declared : a->line[p->order[first]].line,
		a->line[p->order[last]].line);
	if (declared && p->source.text && declared < a->line[p->order[first]].line) {
		r = put_line(p, declared, SIZE_MAX);
		done = declared;
	}
	for (size_t i = first; i <= last && r == 0; i++) {
		size_t index = p->order[i];
		uint32_t number = a->line[index].line;

		if (!annotate_shows_line(p->annotate, index))
			continue;
		r = put_behind(p, &done, number);
		if (r == 0 && p->source.text && number)
			r = put_around(p, &done, number, number);
		if (r == 0)
			r = put_line(p, number, index);
		done = number;
	}
	return r < 0 ? r : put_behind(p, &done, own ? UINT32_MAX : done + 1);
}

/* Prints the file's name, and why its source is missing or may be another version. */
static int put_file_head(const struct annotate_printing *p, const char *file)
{
	struct wrap wrap;
	FILE *out = wrap_begin(&wrap, p->options->width, p->out);

	if (!out)
		return -ENOMEM;
	if (!file[0])
		fputs(p->has_lines ? "of no known line"
				   : "no line is known: it was built without -g, or its debug "
				     "file is not here",
			out);
	else
		text_put(p->source.text ? p->source.path : file, out);
	fputc('\n', out);
	if (p->source.problem || p->source.note) {
		text_put(p->source.problem ? p->source.problem : p->source.note, out);
		fputc('\n', out);
	}
	return wrap_end(&wrap);
}

static int put_file(struct annotate_printing *p, size_t first, size_t last)
{
	const struct annotate *a = p->annotate;
	const char *file = a->line[p->order[first]].file;
	int r = source_read(&p->source, a->profile, a->options->code, file, false,
		p->wide ? SOURCE_TAB : SOURCE_TAB / 2);

	if (r < 0)
		return r;
	fputc('\n', p->out);
	r = put_file_head(p, file);
	if (r == 0)
		r = put_lines(p, first, last, !strcmp(file, a->file));
	source_release(&p->source);
	return r;
}

static int compare_lines(const void *a, const void *b, void *context)
{
	const struct annotate *annotate = context;
	const struct annotate_line *x = &annotate->line[*(const size_t *)a];
	const struct annotate_line *y = &annotate->line[*(const size_t *)b];
	bool own_x = !strcmp(x->file, annotate->file), own_y = !strcmp(y->file, annotate->file);

	if (own_x != own_y)
		return own_x ? -1 : 1;
	if (strcmp(x->file, y->file) != 0)
		return strcmp(x->file, y->file);
	return x->line < y->line ? -1 : x->line > y->line;
}

/* Prints the function's name, cut to a line, and its object, in that line if there is room. */
static int put_name(const struct annotate_printing *p)
{
	const struct annotate *a = p->annotate;
	size_t width = p->options->width;
	const char *object = a->object[0] ? a->object : "in no known object";
	char *name =
		annotate_short_name(p, a->name, width > ANNOTATE_LEAST_TEXT ? width - 1 : SIZE_MAX);

	if (!name)
		return -ENOMEM;
	fprintf(p->out, "\n%s,%s", name,
		width && text_columns(name) + 2 + text_columns(object) > width ? "\n  " : " ");
	text_put(object, p->out);
	free(name);
	return 0;
}

static int put_head(const struct annotate_printing *p)
{
	const struct annotate *a = p->annotate;
	size_t weight = a->frames.sums.weight;
	char share[SHARE_BYTES], amount[TEXT_UNIT_BYTES];
	int r = put_name(p);

	if (r < 0)
		return r;
	share_format(&a->frames.sums, p->options->ascii, false, a->row.self[weight], share);
	text_format_scaled(a->row.self[weight], p->scale, amount);
	fprintf(p->out, "\nself %.*s, %s; ", (int)strcspn(share, "%") + 1, share, amount);
	share_format(&a->frames.sums, p->options->ascii, false, a->row.total[weight], share);
	text_format_scaled(a->row.total[weight], p->scale, amount);
	fprintf(p->out, "with what it called %.*s, %s\n\n", (int)strcspn(share, "%") + 1, share,
		amount);
	annotate_put_cell(p, "self", ANNOTATE_SHARE_COLUMNS - 1);
	annotate_put_cell(p, "", p->wide ? ANNOTATE_TIME_COLUMNS : 0);
	annotate_put_cell(p, "total", ANNOTATE_TOTAL_COLUMNS + 1);
	annotate_put_cell(p, "line", ANNOTATE_LINE_COLUMNS);
	fputc('\n', p->out);
	return 0;
}

/* Prints why instructions are missing, each reason once. */
static int put_problems(const struct annotate_printing *p)
{
	const struct annotate *a = p->annotate;
	struct wrap wrap;
	FILE *out = wrap_begin(&wrap, p->options->width, p->out);

	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < a->codes; i++) {
		const struct code_object *code = &a->code[i];
		const char *why = code->code_problem[0] ? code->code_problem : code->problem;

		if (!why[0])
			continue;
		text_put(profile_mapping(a->profile, code->mapping).file, out);
		fputs(": ", out);
		text_put(why, out);
		fputc('\n', out);
	}
	return wrap_end(&wrap);
}

static int put_all(struct annotate_printing *p)
{
	struct annotate *a = p->annotate;
	int r = header_print(a->profile, p->options, &a->frames.sums, p->out);

	if (r == 0)
		r = put_head(p);
	for (size_t i = 0; i < a->lines; i++)
		p->has_lines |= a->line[i].file[0] != '\0';
	for (size_t i = 0, end; i < a->lines && r == 0; i = end) {
		bool shown = a->line[p->order[i]].file[0] || !p->has_lines;

		for (end = i; end < a->lines &&
			!strcmp(a->line[p->order[i]].file, a->line[p->order[end]].file);
			end++)
			shown |= annotate_shows_line(p->annotate, p->order[end]);
		if (shown)
			r = put_file(p, i, end - 1);
	}
	if (r == 0)
		r = annotate_put_instructions(p, ANNOTATE_NO_LINE);
	fputc('\n', p->out);
	if (r == 0)
		r = put_problems(p);
	return r < 0 ? r
		     : report_audit_line(a->profile, p->options->ascii, p->options->width, p->out);
}

int annotate_text(struct annotate *annotate, FILE *out)
{
	const struct report_options *options = annotate->options;
	size_t weight = annotate->frames.sums.weight;
	struct annotate_printing p = {.annotate = annotate,
		.options = options,
		.wide = !options->width || options->width >= WIDE,
		.scale = text_scale_for(profile_value_type(annotate->profile, weight).unit,
			annotate->row.total[weight]),
		.order = calloc(annotate->lines + 1, sizeof(*p.order)),
		.out = out};
	int r;

	if (!p.order)
		return -ENOMEM;
	for (size_t i = 0; i < annotate->lines; i++)
		p.order[i] = i;
	qsort_r(p.order, annotate->lines, sizeof(*p.order), compare_lines, annotate);
	r = put_all(&p);
	free(p.order);
	return r;
}
