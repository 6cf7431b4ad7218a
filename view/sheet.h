/* SPDX-License-Identifier: MIT */
/*
 * A table for programs: a line (or object) per row, full precision, no units.
 *
 * TSV: the column names, then the rows. A tab, newline, carriage return or backslash in a text is
 * \t, \n, \r, \\; other control characters are \xNN. CSV: RFC 4180, with LF as line end. JSON: an
 * array of objects; invalid UTF-8 becomes U+FFFD. An unknown value is null in JSON, else empty.
 */
#ifndef VIEW_SHEET_H
#define VIEW_SHEET_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "view/options.h"

enum cell_kind { CELL_UNKNOWN, CELL_NUMBER, CELL_COUNT, CELL_RATIO, CELL_DECIMAL, CELL_TEXT };

struct cell {
	enum cell_kind kind;
	int64_t number;   /* of a CELL_NUMBER */
	uint64_t count;   /* of a CELL_COUNT; of a CELL_RATIO in units of 1 / AUDIT_RATIO_ONE */
	const char *text; /* of a CELL_TEXT */
	double decimal;   /* of a CELL_DECIMAL; must be finite */
};

static inline struct cell cell_number(int64_t number)
{
	return (struct cell){.kind = CELL_NUMBER, .number = number};
}

static inline struct cell cell_count(uint64_t count)
{
	return (struct cell){.kind = CELL_COUNT, .count = count};
}

/* A ratio, in units of 1 / AUDIT_RATIO_ONE, is printed with four digits behind the point. */
static inline struct cell cell_ratio(uint64_t count)
{
	return (struct cell){.kind = CELL_RATIO, .count = count};
}

/* A decimal must be finite and is printed with six significant digits. */
static inline struct cell cell_decimal(double decimal)
{
	return (struct cell){.kind = CELL_DECIMAL, .decimal = decimal};
}

static inline struct cell cell_text(const char *text)
{
	return (struct cell){.kind = CELL_TEXT, .text = text};
}

struct sheet {
	const struct sheet_format *format;
	FILE *out;
	const char *const *column;
	size_t columns, rows;
};

/* @format is not REPORT_TEXT; @column is borrowed. */
void sheet_begin(struct sheet *sheet, enum report_format format, const char *const *column,
	size_t columns, FILE *out);
void sheet_row(struct sheet *sheet, const struct cell *cell);
void sheet_end(struct sheet *sheet);

/* A table of the columns "key" and "value"; in JSON, one object. */
void sheet_pairs_begin(struct sheet *sheet, enum report_format format, FILE *out);
void sheet_pair(struct sheet *sheet, const char *key, struct cell value);
void sheet_pairs_end(struct sheet *sheet);

#endif
