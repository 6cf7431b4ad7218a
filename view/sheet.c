/* SPDX-License-Identifier: MIT */
#include "view/sheet.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "profile/audit.h"
#include "view/json.h"
#include "view/wall_types.h"

/* JSON has objects, not lines: its separator is 0. */
struct sheet_format {
	char separator;
	void (*put_text)(FILE *out, const char *text);
};

static void put_bytes(const char *from, const char *to, FILE *out)
{
	while (from < to)
		fprintf(out, "\\x%02x", (unsigned char)*from++);
}

/* Would a spreadsheet take the text for a formula? An apostrophe in front prevents it. */
static bool is_formula(const char *text)
{
	return text[0] && strchr("=+-@\t\r", text[0]);
}

static void put_tsv(FILE *out, const char *text)
{
	if (is_formula(text))
		fputc('\'', out);
	while (*text) {
		const char *from = text;
		int32_t c = text_next(&text);

		if (c == '\t')
			fputs("\\t", out);
		else if (c == '\n')
			fputs("\\n", out);
		else if (c == '\r')
			fputs("\\r", out);
		else if (c == '\\')
			fputs("\\\\", out);
		else if (text_is_printable(c))
			(void)fwrite(from, 1, (size_t)(text - from), out);
		else
			put_bytes(from, text, out);
	}
}

/* CSV has no escapes (RFC 4180), so unprintable characters become '?'. */
static void put_csv(FILE *out, const char *text)
{
	bool formula = is_formula(text);

	if (!formula && !strpbrk(text, ",\"")) {
		text_put(text, out);
		return;
	}
	fputs(formula ? "\"'" : "\"", out);
	while (*text) {
		const char *from = text;
		int32_t c = text_next(&text);

		if (c == '"')
			fputc('"', out);
		if (text_is_printable(c))
			(void)fwrite(from, 1, (size_t)(text - from), out);
		else
			fputc('?', out);
	}
	fputc('"', out);
}

static const struct sheet_format formats[] = {
	[REPORT_TSV] = {'\t', put_tsv},
	[REPORT_CSV] = {',', put_csv},
	[REPORT_JSON] = {0, json_string},
};

static void put_cell(const struct sheet *sheet, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_UNKNOWN: fputs(sheet->format->separator ? "" : "null", sheet->out); break;
	case CELL_NUMBER: fprintf(sheet->out, "%" PRId64, cell->number); break;
	case CELL_COUNT: fprintf(sheet->out, "%" PRIu64, cell->count); break;
	case CELL_RATIO:
		fprintf(sheet->out, "%" PRIu64 ".%04" PRIu64, cell->count / AUDIT_RATIO_ONE,
			cell->count % AUDIT_RATIO_ONE);
		break;
	case CELL_DECIMAL: fprintf(sheet->out, "%.6g", cell->decimal); break;
	case CELL_TEXT: sheet->format->put_text(sheet->out, cell->text); break;
	}
}

static void put_member(const struct sheet *sheet, const char *name, const struct cell *cell)
{
	json_string(sheet->out, name);
	fputs(": ", sheet->out);
	put_cell(sheet, cell);
}

static void put_line(const struct sheet *sheet)
{
	for (size_t i = 0; i < sheet->columns; i++) {
		const struct cell name = cell_text(sheet->name[i]);

		if (i)
			fputc(sheet->format->separator, sheet->out);
		put_cell(sheet, sheet->has_names ? &sheet->cell[i] : &name);
	}
	fputc('\n', sheet->out);
}

static void put_object(const struct sheet *sheet)
{
	fputs(sheet->rows ? ",\n{" : "[\n{", sheet->out);
	for (size_t i = 0; i < sheet->columns; i++) {
		fputs(i ? ", " : "", sheet->out);
		put_member(sheet, sheet->name[i], &sheet->cell[i]);
	}
	fputc('}', sheet->out);
}

void sheet_begin(struct sheet *sheet, enum report_format format, FILE *out)
{
	*sheet = (struct sheet){.format = &formats[format], .out = out};
}

void sheet_cell(struct sheet *sheet, const char *name, struct cell cell)
{
	sheet->name[sheet->columns] = name;
	sheet->cell[sheet->columns++] = cell;
}

void sheet_row(struct sheet *sheet)
{
	if (!sheet->error && sheet->format->separator)
		put_line(sheet);
	else if (!sheet->error && sheet->has_names)
		put_object(sheet);
	sheet->rows += sheet->has_names;
	sheet->has_names = true;
	sheet->columns = 0;
}

int sheet_end(struct sheet *sheet)
{
	if (!sheet->error && !sheet->format->separator)
		fputs(sheet->rows ? "\n]\n" : "[]\n", sheet->out);
	free(sheet->other[0]);
	free(sheet->other[1]);
	return sheet->error;
}

void sheet_task(struct sheet *sheet, const struct report_options *options, const struct row *row)
{
	if (options->split == REPORT_SPLIT_PROCESS) {
		sheet_cell(sheet, "pid", cell_number(row->id));
		sheet_cell(sheet, "process", cell_text(row->task));
	} else if (options->split == REPORT_SPLIT_THREAD) {
		sheet_cell(sheet, "tid", cell_number(row->id));
		sheet_cell(sheet, "thread", cell_text(row->task));
	}
}

void sheet_values(struct sheet *sheet, const struct profile *profile, const struct row *row)
{
	struct wall_types wall;

	sheet_cell(sheet, "self_samples", cell_number(row->self[VALUE_SAMPLES]));
	sheet_cell(sheet, "self_ns", cell_number(row->self[VALUE_CPU_NS]));
	sheet_cell(sheet, "total_samples", cell_number(row->total[VALUE_SAMPLES]));
	sheet_cell(sheet, "total_ns", cell_number(row->total[VALUE_CPU_NS]));
	if (!wall_types_find(profile, &wall))
		return;
	sheet_cell(sheet, "wall_ns", cell_number(wall_types_value(row->self, wall.wall)));
	sheet_cell(sheet, "runqueue_ns", cell_number(wall_types_value(row->self, wall.queue)));
	sheet_cell(sheet, "blocked_ns", cell_number(wall_types_value(row->self, wall.blocked)));
}

static void name_others(struct sheet *sheet, struct value_type type)
{
	for (size_t i = 0; i < 2 && !sheet->error; i++) {
		if (asprintf(&sheet->other[i], "%s_%s_%s", i ? "total" : "self", type.type,
			    type.unit) < 0) {
			sheet->other[i] = NULL;
			sheet->error = -ENOMEM;
		}
	}
}

void sheet_others(
	struct sheet *sheet, const struct profile *profile, size_t weight, const struct row *row)
{
	if (weight <= VALUE_CPU_NS)
		return;
	if (!sheet->has_names)
		name_others(sheet, profile_value_type(profile, weight));
	sheet_cell(sheet, sheet->other[0], cell_number(row->self[weight]));
	sheet_cell(sheet, sheet->other[1], cell_number(row->total[weight]));
}

void sheet_pairs_begin(struct sheet *sheet, enum report_format format, FILE *out)
{
	sheet_begin(sheet, format, out);
	sheet_cell(sheet, "key", (struct cell){0});
	sheet_cell(sheet, "value", (struct cell){0});
	sheet_row(sheet);
}

void sheet_pair(struct sheet *sheet, const char *key, struct cell value)
{
	if (sheet->format->separator) {
		sheet_cell(sheet, "key", cell_text(key));
		sheet_cell(sheet, "value", value);
		sheet_row(sheet);
		return;
	}
	fputs(sheet->rows++ ? ",\n  " : "{\n  ", sheet->out);
	put_member(sheet, key, &value);
}

void sheet_pairs_end(struct sheet *sheet)
{
	if (!sheet->format->separator)
		fputs(sheet->rows ? "\n}\n" : "{}\n", sheet->out);
}
