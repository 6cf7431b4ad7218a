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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "view/rows.h"

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

enum { SHEET_COLUMNS_MOST = 20 };

struct sheet {
	const struct sheet_format *format;
	FILE *out;
	/* The current row. Names are borrowed until the row ends. */
	const char *name[SHEET_COLUMNS_MOST];
	struct cell cell[SHEET_COLUMNS_MOST];
	size_t columns;
	size_t rows;    /* number of rows printed */
	bool has_names; /* the first row, which has only the names, has ended */
	char *other[2]; /* names of columns made by sheet_others(); NULL: none */
	int error;      /* -ENOMEM: no memory for @other */
};

/* @format is not REPORT_TEXT. */
void sheet_begin(struct sheet *sheet, enum report_format format, FILE *out);
/* Appends a cell to the current row. */
void sheet_cell(struct sheet *sheet, const char *name, struct cell cell);
/*
 * Ends the row. All rows have the same column names. The first row is not data: it only gives the
 * names, and its values are ignored.
 */
void sheet_row(struct sheet *sheet);
/* Returns 0, or -ENOMEM: there was no memory for a name, and nothing was printed. */
int sheet_end(struct sheet *sheet);

/*
 * If the options split by process or thread: appends two cells, "pid" and "process", or "tid" and
 * "thread".
 */
void sheet_task(struct sheet *sheet, const struct report_options *options, const struct row *row);
/*
 * Appends the cells "self_samples", "self_ns", "total_samples" and "total_ns". If the profile has
 * wall-clock time, also appends "wall_ns", "runqueue_ns" and "blocked_ns".
 */
void sheet_values(struct sheet *sheet, const struct profile *profile, const struct row *row);
/*
 * If the value type with the index @weight is neither samples nor CPU time (a heap profile):
 * appends, for example, "self_inuse_space_bytes total_inuse_space_bytes".
 */
void sheet_others(
	struct sheet *sheet, const struct profile *profile, size_t weight, const struct row *row);

/* A table of the columns "key" and "value"; in JSON, one object. */
void sheet_pairs_begin(struct sheet *sheet, enum report_format format, FILE *out);
void sheet_pair(struct sheet *sheet, const char *key, struct cell value);
void sheet_pairs_end(struct sheet *sheet);

#endif
