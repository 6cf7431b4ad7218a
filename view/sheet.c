/* SPDX-License-Identifier: MIT */
#include "view/sheet.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/text.h"
#include "profile/audit.h"
#include "view/json.h"

struct sheet_format {
	void (*names)(struct sheet *sheet);
	void (*row)(struct sheet *sheet, const struct cell *cell);
	void (*end)(struct sheet *sheet);
	void (*pair)(struct sheet *sheet, const char *key, struct cell value);
	void (*pairs_end)(struct sheet *sheet);
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

static void put_cell(FILE *out, const struct cell *cell, void (*put_text)(FILE *, const char *),
	const char *unknown)
{
	switch (cell->kind) {
	case CELL_UNKNOWN: fputs(unknown, out); break;
	case CELL_NUMBER: fprintf(out, "%" PRId64, cell->number); break;
	case CELL_COUNT: fprintf(out, "%" PRIu64, cell->count); break;
	case CELL_RATIO:
		fprintf(out, "%" PRIu64 ".%04" PRIu64, cell->count / AUDIT_RATIO_ONE,
			cell->count % AUDIT_RATIO_ONE);
		break;
	case CELL_DECIMAL: fprintf(out, "%.6g", cell->decimal); break;
	case CELL_TEXT: put_text(out, cell->text); break;
	}
}

static void put_line(struct sheet *sheet, const struct cell *cell, char separator,
	void (*put_text)(FILE *, const char *), const char *end)
{
	for (size_t i = 0; i < sheet->columns; i++) {
		if (i)
			fputc(separator, sheet->out);
		put_cell(sheet->out, &cell[i], put_text, "");
	}
	fputs(end, sheet->out);
}

static void put_names(struct sheet *sheet, char separator, void (*put_text)(FILE *, const char *),
	const char *end)
{
	for (size_t i = 0; i < sheet->columns; i++) {
		if (i)
			fputc(separator, sheet->out);
		put_text(sheet->out, sheet->column[i]);
	}
	fputs(end, sheet->out);
}

static void tsv_names(struct sheet *sheet)
{
	put_names(sheet, '\t', put_tsv, "\n");
}

static void tsv_row(struct sheet *sheet, const struct cell *cell)
{
	put_line(sheet, cell, '\t', put_tsv, "\n");
}

static void csv_names(struct sheet *sheet)
{
	put_names(sheet, ',', put_csv, "\n");
}

static void csv_row(struct sheet *sheet, const struct cell *cell)
{
	put_line(sheet, cell, ',', put_csv, "\n");
}

static void nothing(struct sheet *sheet)
{
	(void)sheet;
}

static void row_pair(struct sheet *sheet, const char *key, struct cell value)
{
	struct cell cells[] = {cell_text(key), value};

	sheet_row(sheet, cells);
}

static void json_row(struct sheet *sheet, const struct cell *cell)
{
	fputs(sheet->rows ? ",\n{" : "[\n{", sheet->out);
	for (size_t i = 0; i < sheet->columns; i++) {
		if (i)
			fputs(", ", sheet->out);
		json_string(sheet->out, sheet->column[i]);
		fputs(": ", sheet->out);
		put_cell(sheet->out, &cell[i], json_string, "null");
	}
	fputc('}', sheet->out);
}

static void json_end(struct sheet *sheet)
{
	fputs(sheet->rows ? "\n]\n" : "[]\n", sheet->out);
}

static void json_pair(struct sheet *sheet, const char *key, struct cell value)
{
	fputs(sheet->rows++ ? ",\n  " : "{\n  ", sheet->out);
	json_string(sheet->out, key);
	fputs(": ", sheet->out);
	put_cell(sheet->out, &value, json_string, "null");
}

static void json_pairs_end(struct sheet *sheet)
{
	fputs(sheet->rows ? "\n}\n" : "{}\n", sheet->out);
}

static const struct sheet_format formats[] = {
	[REPORT_TSV] = {tsv_names, tsv_row, nothing, row_pair, nothing},
	[REPORT_CSV] = {csv_names, csv_row, nothing, row_pair, nothing},
	[REPORT_JSON] = {nothing, json_row, json_end, json_pair, json_pairs_end},
};

void sheet_begin(struct sheet *sheet, enum report_format format, const char *const *column,
	size_t columns, FILE *out)
{
	*sheet = (struct sheet){
		.format = &formats[format], .out = out, .column = column, .columns = columns};
	sheet->format->names(sheet);
}

void sheet_row(struct sheet *sheet, const struct cell *cell)
{
	sheet->format->row(sheet, cell);
	sheet->rows++;
}

void sheet_end(struct sheet *sheet)
{
	sheet->format->end(sheet);
}

void sheet_pairs_begin(struct sheet *sheet, enum report_format format, FILE *out)
{
	static const char *const columns[] = {"key", "value"};

	sheet_begin(sheet, format, columns, 2, out);
}

void sheet_pair(struct sheet *sheet, const char *key, struct cell value)
{
	sheet->format->pair(sheet, key, value);
}

void sheet_pairs_end(struct sheet *sheet)
{
	sheet->format->pairs_end(sheet);
}
