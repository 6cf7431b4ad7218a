/* SPDX-License-Identifier: MIT */
/* The text form of the report `annotate`. */
#include "view/report/annotate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/header.h"
#include "view/report/report.h"
#include "view/share.h"
#include "view/source.h"
#include "view/wrap.h"

/* Widths of columns. LEAST_TEXT: the minimum for source text. */
enum {
	LEAST_TEXT = 16,
	SHARE_COLUMNS = 12,
	TOTAL_COLUMNS = 8,
	TIME_COLUMNS = 11,
	LINE_COLUMNS = 7
};

struct printing {
	struct annotate *annotate;
	const struct report_options *options;
	struct text_scale scale;
	struct source source;
	size_t indent; /* common indent of all lines, which is removed */
	size_t *order; /* indexes of lines, sorted by file and number */
	/* The function's first line in the current file; 0: none. No context precedes it. */
	uint32_t declared;
	bool wide;
	bool has_lines; /* some line has a known number */
	FILE *out;
};

/* Maximum columns of an inlined function's name beside an instruction. */
enum { NAME_COLUMNS = 40 };

static const char *color_of(const struct printing *p, const struct row *row)
{
	size_t weight = p->annotate->frames.sums.weight;
	double share = share_of(&p->annotate->frames.sums, row->self[weight]);

	return !p->options->color ? ""
		: share >= 0.1    ? "\033[1;31m"
		: share >= 0.03   ? "\033[33m"
				  : "";
}

/* Prints @text right-aligned by its columns on the terminal, not by its bytes. */
static void put_cell(const struct printing *p, const char *text, size_t columns)
{
	size_t has = text_columns(text);

	fprintf(p->out, "%*s%s", (int)(has < columns ? columns - has : 0), "", text);
}

static void put_values(const struct printing *p, const struct row *row, bool total)
{
	const struct rows *sums = &p->annotate->frames.sums;
	size_t weight = sums->weight;
	char cell[SHARE_BYTES] = "";

	if (row->self[weight])
		share_format(sums, p->options->ascii, false, row->self[weight], cell);
	put_cell(p, cell, SHARE_COLUMNS);
	if (p->wide) {
		cell[0] = '\0';
		if (row->self[weight])
			text_format_scaled(row->self[weight], p->scale, cell);
		put_cell(p, cell, TIME_COLUMNS);
	}
	cell[0] = '\0';
	if (total && row->total[weight])
		(void)snprintf(
			cell, sizeof(cell), "%.1f %%", share_of(sums, row->total[weight]) * 100);
	put_cell(p, cell, TOTAL_COLUMNS);
}

/* Returns the width of the columns before the source text. */
static size_t columns_before(const struct printing *p)
{
	return SHARE_COLUMNS + TOTAL_COLUMNS + LINE_COLUMNS + 2 + (p->wide ? TIME_COLUMNS : 0);
}

/* Returns the columns for the source text; SIZE_MAX: unlimited. */
static size_t room_of(const struct printing *p)
{
	if (!p->options->width)
		return SIZE_MAX;
	return p->options->width > columns_before(p) + LEAST_TEXT
		? p->options->width - columns_before(p)
		: LEAST_TEXT;
}

/* Returns a copy of @name, cut to @columns; NULL: out of memory. The caller frees the copy. */
static char *short_name(const struct printing *p, const char *name, size_t columns)
{
	char *copy = text_clean(name, p->options->ascii);

	if (copy && copy[0] && text_columns(copy) > columns &&
		text_cut_name(&copy, columns, p->options->ascii) < 0) {
		free(copy);
		return NULL;
	}
	return copy;
}

/* Prints a row; @text is cut to the width. @style: an escape sequence, or "". 0 or -ENOMEM. */
static int put_row(const struct printing *p, const struct row *row, bool total, uint32_t line,
	const char *style, const char *text)
{
	const char *heat = color_of(p, row);
	char number[LINE_COLUMNS + 8] = "";
	char *copy = text_clean(text, p->options->ascii);
	int r = copy ? 0 : -ENOMEM;

	if (r == 0 && p->options->width)
		r = text_cut_sentence(&copy, room_of(p), p->options->ascii);
	if (r == 0) {
		fputs(heat, p->out);
		put_values(p, row, total);
		fputs(heat[0] ? "\033[m" : "", p->out);
		if (line)
			(void)snprintf(number, sizeof(number), "%" PRIu32, line);
		put_cell(p, number, LINE_COLUMNS);
		if (copy[0])
			fprintf(p->out, "  %s%s%s", p->options->color ? style : "", copy,
				p->options->color && style[0] ? "\033[m" : "");
		fputc('\n', p->out);
	}
	free(copy);
	return r;
}

/* Prints the functions inlined in the line at index @line. 0 or -ENOMEM. */
static int put_inlined(const struct printing *p, size_t line, size_t indent)
{
	const struct annotate *a = p->annotate;
	int r = 0;

	for (size_t i = 0; i < a->inlineds && r == 0; i++) {
		size_t room = room_of(p), used = indent + strlen("+ inlined ");
		char *text, *name;

		if (a->inlined[i].line != line || !annotate_is_hot(a, &a->inlined[i].row))
			continue;
		name = short_name(p, a->inlined[i].function,
			room > used + LEAST_TEXT ? room - used : LEAST_TEXT);
		if (!name)
			return -ENOMEM;
		r = asprintf(&text, "%*s%s inlined %s", (int)indent, "",
			p->options->ascii ? "+" : "\xe2\x94\x94", name);
		free(name);
		if (r < 0)
			return -ENOMEM;
		r = put_row(p, &a->inlined[i].row, false, 0, "\033[36m", text);
		free(text);
	}
	return r;
}

static int put_instruction(const struct printing *p, const struct annotate_instruction *insn)
{
	char *text, *name = short_name(p, insn->inlined ? insn->inlined : "", NAME_COLUMNS);
	char at[64] = "";
	int r;

	if (!name)
		return -ENOMEM;
	if (insn->inlined && insn->inlined_line)
		(void)snprintf(at, sizeof(at), "%.40s:%" PRIu32 " ",
			text_basename(insn->inlined_file), insn->inlined_line);
	r = asprintf(&text, "    %8" PRIx64 ":  %s%s%s%s", insn->address,
		insn->text ? insn->text : "(not to be read)", insn->inlined ? "  ; " : "", at,
		name);
	free(name);
	if (r < 0)
		return -ENOMEM;
	r = put_row(p, &insn->row, false, 0, "\033[2m", text);
	free(text);
	return r;
}

/* Prints the instructions of the line @line, or (ANNOTATE_NO_LINE) of no line. 0 or -ENOMEM. */
static int put_instructions(const struct printing *p, uint32_t line)
{
	const struct annotate *a = p->annotate;
	int r = 0;

	for (size_t i = 0; i < a->instructions && r == 0; i++) {
		const struct annotate_instruction *insn = &a->instruction[i];

		if (insn->line == line && annotate_shows_instruction(a, insn))
			r = put_instruction(p, insn);
	}
	return r;
}

/* CONTEXT: lines around one with samples. WIDE: minimum width of a report that shows times. */
enum { CONTEXT = 3, WIDE = 100 };

static size_t indent_of(const char *text)
{
	return strspn(text, " ");
}

static int put_line(const struct printing *p, uint32_t number, size_t index)
{
	static const struct row nothing;
	const struct annotate *a = p->annotate;
	const char *text = source_line(&p->source, number);
	size_t indent = text ? indent_of(text) : 0;
	const struct row *row = index < a->lines ? &a->line[index].row : &nothing;
	int r;

	if (text)
		text += indent < p->indent ? indent : p->indent;
	r = put_row(p, row, true, number, "", text ? text : "");
	if (index >= a->lines || r < 0)
		return r;
	r = put_inlined(p, index, indent > p->indent ? indent - p->indent : 0);
	return r < 0 ? r : put_instructions(p, (uint32_t)index);
}

static void find_indent(struct printing *p, uint32_t first, uint32_t last)
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

/*
 * Prints up to CONTEXT lines in front of line @number, but none from line @upto on. *@done: the
 * last line printed.
 */
static int put_around(struct printing *p, uint32_t *done, uint32_t upto, uint32_t number)
{
	uint32_t from = number > CONTEXT ? number - CONTEXT : 1;
	int r = 0;

	if (from < p->declared && number >= p->declared)
		from = p->declared;
	if (from <= *done)
		from = *done + 1;
	if (*done && from > *done + 1)
		fprintf(p->out, "%*s\n", (int)(columns_before(p) + 1), "...");
	for (uint32_t i = from; i < upto && r == 0; i++)
		r = put_line(p, i, SIZE_MAX);
	*done = upto - 1;
	return r;
}

/*
 * Prints up to CONTEXT lines behind line *@done, the last line printed, but none from line @before
 * on.
 */
static int put_behind(struct printing *p, uint32_t *done, uint32_t before)
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
static int put_lines(struct printing *p, size_t first, size_t last, bool own)
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
static int put_file_head(const struct printing *p, const char *file)
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

static int put_file(struct printing *p, size_t first, size_t last)
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
static int put_name(const struct printing *p)
{
	const struct annotate *a = p->annotate;
	size_t width = p->options->width;
	const char *object = a->object[0] ? a->object : "in no known object";
	char *name = short_name(p, a->name, width > LEAST_TEXT ? width - 1 : SIZE_MAX);

	if (!name)
		return -ENOMEM;
	fprintf(p->out, "\n%s,%s", name,
		width && text_columns(name) + 2 + text_columns(object) > width ? "\n  " : " ");
	text_put(object, p->out);
	free(name);
	return 0;
}

static int put_head(const struct printing *p)
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
	put_cell(p, "self", SHARE_COLUMNS - 1);
	put_cell(p, "", p->wide ? TIME_COLUMNS : 0);
	put_cell(p, "total", TOTAL_COLUMNS + 1);
	put_cell(p, "line", LINE_COLUMNS);
	fputc('\n', p->out);
	return 0;
}

/* Prints why instructions are missing, each reason once. */
static int put_problems(const struct printing *p)
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

static int put_all(struct printing *p)
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
		r = put_instructions(p, ANNOTATE_NO_LINE);
	fputc('\n', p->out);
	if (r == 0)
		r = put_problems(p);
	return r < 0 ? r
		     : report_audit(a->profile, REPORT_AUDIT_LINE, p->options->ascii,
			       p->options->width, p->out);
}

int annotate_text(struct annotate *annotate, FILE *out)
{
	const struct report_options *options = annotate->options;
	size_t weight = annotate->frames.sums.weight;
	struct printing p = {.annotate = annotate,
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
