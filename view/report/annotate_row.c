/* SPDX-License-Identifier: MIT */
#include "view/report/annotate_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "view/share.h"

/* Maximum columns of an inlined function's name beside an instruction. */
enum { NAME_COLUMNS = 40 };

static const char *color_of(const struct annotate_printing *p, const struct row *row)
{
	size_t weight = p->annotate->frames.sums.weight;
	double share = share_of(&p->annotate->frames.sums, row->self[weight]);

	return !p->options->color ? ""
		: share >= 0.1    ? "\033[1;31m"
		: share >= 0.03   ? "\033[33m"
				  : "";
}

void annotate_put_cell(const struct annotate_printing *p, const char *text, size_t columns)
{
	size_t has = text_columns(text);

	fprintf(p->out, "%*s%s", (int)(has < columns ? columns - has : 0), "", text);
}

static void put_values(const struct annotate_printing *p, const struct row *row, bool total)
{
	const struct rows *sums = &p->annotate->frames.sums;
	size_t weight = sums->weight;
	char cell[SHARE_BYTES] = "";

	if (row->self[weight])
		share_format(sums, p->options->ascii, false, row->self[weight], cell);
	annotate_put_cell(p, cell, ANNOTATE_SHARE_COLUMNS);
	if (p->wide) {
		cell[0] = '\0';
		if (row->self[weight])
			text_format_scaled(row->self[weight], p->scale, cell);
		annotate_put_cell(p, cell, ANNOTATE_TIME_COLUMNS);
	}
	cell[0] = '\0';
	if (total && row->total[weight])
		(void)snprintf(
			cell, sizeof(cell), "%.1f %%", share_of(sums, row->total[weight]) * 100);
	annotate_put_cell(p, cell, ANNOTATE_TOTAL_COLUMNS);
}

size_t annotate_columns_before(const struct annotate_printing *p)
{
	return ANNOTATE_SHARE_COLUMNS + ANNOTATE_TOTAL_COLUMNS + ANNOTATE_LINE_COLUMNS + 2 +
		(p->wide ? ANNOTATE_TIME_COLUMNS : 0);
}

/* Returns the columns for the source text; SIZE_MAX: unlimited. */
static size_t room_of(const struct annotate_printing *p)
{
	if (!p->options->width)
		return SIZE_MAX;
	return p->options->width > annotate_columns_before(p) + ANNOTATE_LEAST_TEXT
		? p->options->width - annotate_columns_before(p)
		: ANNOTATE_LEAST_TEXT;
}

char *annotate_short_name(const struct annotate_printing *p, const char *name, size_t columns)
{
	char *copy = text_clean(name, p->options->ascii);

	if (copy && copy[0] && text_columns(copy) > columns &&
		text_cut_name(&copy, columns, p->options->ascii) < 0) {
		free(copy);
		return NULL;
	}
	return copy;
}

int annotate_put_row(const struct annotate_printing *p, const struct row *row, bool total,
	uint32_t line, const char *style, const char *text)
{
	const char *heat = color_of(p, row);
	char number[ANNOTATE_LINE_COLUMNS + 8] = "";
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
		annotate_put_cell(p, number, ANNOTATE_LINE_COLUMNS);
		if (copy[0])
			fprintf(p->out, "  %s%s%s", p->options->color ? style : "", copy,
				p->options->color && style[0] ? "\033[m" : "");
		fputc('\n', p->out);
	}
	free(copy);
	return r;
}

int annotate_put_inlined(const struct annotate_printing *p, size_t line, size_t indent)
{
	const struct annotate *a = p->annotate;
	int r = 0;

	for (size_t i = 0; i < a->inlineds && r == 0; i++) {
		size_t room = room_of(p), used = indent + strlen("+ inlined ");
		char *text, *name;

		if (a->inlined[i].line != line || !annotate_is_hot(a, &a->inlined[i].row))
			continue;
		name = annotate_short_name(p, a->inlined[i].function,
			room > used + ANNOTATE_LEAST_TEXT ? room - used : ANNOTATE_LEAST_TEXT);
		if (!name)
			return -ENOMEM;
		r = asprintf(&text, "%*s%s inlined %s", (int)indent, "",
			p->options->ascii ? "+" : "\xe2\x94\x94", name);
		free(name);
		if (r < 0)
			return -ENOMEM;
		r = annotate_put_row(p, &a->inlined[i].row, false, 0, "\033[36m", text);
		free(text);
	}
	return r;
}

static int put_instruction(
	const struct annotate_printing *p, const struct annotate_instruction *insn)
{
	char *text,
		*name = annotate_short_name(p, insn->inlined ? insn->inlined : "", NAME_COLUMNS);
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
	r = annotate_put_row(p, &insn->row, false, 0, "\033[2m", text);
	free(text);
	return r;
}

int annotate_put_instructions(const struct annotate_printing *p, uint32_t line)
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
