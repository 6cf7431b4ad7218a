/* SPDX-License-Identifier: MIT */
#include "view/report/diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "view/options.h"
#include "view/sheet.h"

/* Maximum rows in the message of --fail-above. */
enum { SLOWER_MOST = 10 };

static struct cell cell_percent(double part)
{
	return isfinite(part) ? cell_decimal(part * 100) : (struct cell){.kind = CELL_UNKNOWN};
}

static void put_row(struct sheet *sheet, const struct diff_row *row)
{
	sheet_cell(sheet, "self_ns_a", cell_number(llround(row->self[0])));
	sheet_cell(sheet, "self_ns_b", cell_number(llround(row->self[1])));
	sheet_cell(sheet, "delta_pct", cell_percent(row->by.delta));
	sheet_cell(sheet, "low_pct", cell_percent(row->by.tested ? row->by.low : HUGE_VAL));
	sheet_cell(sheet, "high_pct", cell_percent(row->by.tested ? row->by.high : HUGE_VAL));
	sheet_cell(sheet, "significant", cell_number(diff_is_significant(row)));
	sheet_cell(sheet, "function", cell_text(row->function));
	sheet_cell(sheet, "object", cell_text(row->object));
	sheet_cell(sheet, "total_ns_a", cell_number(llround(row->total[0])));
	sheet_cell(sheet, "total_ns_b", cell_number(llround(row->total[1])));
	sheet_cell(sheet, "p", cell_decimal(row->by.p));
	sheet_cell(sheet, "q", cell_decimal(row->by.q));
	sheet_row(sheet);
}

static int put_sheet(const struct diff *diff, size_t limit, double least, FILE *out)
{
	static const struct diff_row names;
	struct sheet sheet;
	size_t rows = 0;

	sheet_begin(&sheet, diff->options.format, out);
	put_row(&sheet, &names);
	for (size_t i = 0; i < diff->rows && (!limit || rows < limit); i++) {
		const struct diff_row *row = &diff->row[i];

		if (fmax(fabs(row->by.a), fabs(row->by.b)) < least && !diff_is_significant(row))
			continue;
		put_row(&sheet, row);
		rows++;
	}
	return sheet_end(&sheet);
}

/*
 * Prints a row that became slower. A row whose value is 0 on side A has no percentage (infinite),
 * and is called new.
 */
static void name_slower(const char *what, double delta, FILE *out)
{
	fputs("\n    ", out);
	text_put(what, out);
	if (isfinite(delta))
		fprintf(out, ", %+.1f %%", delta * 100);
	else
		fputs(", new", out);
}

/* Returns 1 with a list of the rows that are too slow in *@ret_what, 0 if none is, or -ENOMEM. */
static int find_slower(const struct diff *diff, char **ret_what)
{
	const char *what = diff->options.paths ? "call paths" : "functions";
	double limit = diff->options.fail_above;
	size_t bytes = 0, n = 0;
	char *text = NULL;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return -ENOMEM;
	fprintf(out, "slower by more than %g %%:", limit);
	if (diff->speed.is_change && diff->speed.change * 100 > limit) {
		fprintf(out, "\n    all %s alike, %+.1f %%", what, diff->speed.change * 100);
		n++;
	}
	for (size_t i = 0; i < diff->rows; i++) {
		const struct diff_row *row = &diff->row[i];

		if (!diff_is_significant(row) || !(row->by.delta * 100 > limit))
			continue;
		if (n++ < SLOWER_MOST)
			name_slower(row->function, row->by.delta, out);
	}
	if (n > SLOWER_MOST)
		fprintf(out, "\n    and %zu more", n - SLOWER_MOST);
	if (fclose(out)) {
		free(text);
		return -ENOMEM;
	}
	if (n)
		*ret_what = text;
	else
		free(text);
	return n > 0;
}

int diff_print(const struct report_sides *sides, const struct report_options *given, FILE *out,
	char **ret_problem)
{
	struct report_options options = options_take(given);
	struct diff diff;
	int error = diff_init(&diff, sides, &options, ret_problem);

	if (error < 0)
		return error;
	diff.options.limit = options.limit;
	diff.options.min_percent = options.min_percent;
	if (options.format == REPORT_TEXT)
		error = diff_text(&diff, out);
	else
		error = put_sheet(&diff, options.limit,
			fmax(diff.all[0], diff.all[1]) * options.min_percent / 100, out);
	if (!error && options.has_fail_above)
		error = find_slower(&diff, ret_problem);
	diff_release(&diff);
	return error;
}
