/* SPDX-License-Identifier: MIT */
#include "view/report/listing.h"

#include "view/options.h"
#include "view/report/groups.h"
#include "view/row_builder.h"
#include "view/task_times.h"

static void add_cells(struct row_builder *to, const struct profile *profile,
	const struct report_options *options, enum rows_by by, const struct row *row,
	const struct row_builder_other *other, const struct task_times *times)
{
	*to = (struct row_builder){0};
	row_builder_task(to, options, row);
	row_builder_values(to, profile, row);
	row_builder_add(to, "function", cell_text(row->function));
	if (by == ROWS_BY_LINE) {
		row_builder_add(to, "file", cell_text(row->file));
		row_builder_add(to, "line", cell_number(row->line));
	}
	row_builder_add(to, "object", cell_text(row->object));
	row_builder_others(to, other, row);
	task_times_add(times, row, to);
}

static int listing_sheet(const struct profile *profile, const struct report_options *options,
	enum rows_by by, const struct rows *rows, const struct task_times *times, FILE *out)
{
	static const struct row no_row = {.function = "", .file = "", .object = "", .task = ""};
	struct row_builder_other other;
	struct row_builder names, cells;
	struct sheet sheet;
	int error = row_builder_other_init(&other, profile, rows);

	if (!error) {
		add_cells(&names, profile, options, by, &no_row, &other, times);
		sheet_begin(&sheet, options->format, names.name, names.n, out);
		for (size_t i = 0; i < rows->n; i++) {
			add_cells(&cells, profile, options, by, &rows->row[i], &other, times);
			sheet_row(&sheet, cells.cell);
		}
		sheet_end(&sheet);
	}
	row_builder_other_release(&other);
	return error;
}

static int print(const struct profile *profile, const struct report_options *given, enum rows_by by,
	FILE *out, char **ret_problem)
{
	struct report_options options = options_take(given);
	struct task_times times = {0};
	struct rows rows;
	int error = rows_collect(profile, &options, by, &rows, ret_problem);

	if (error < 0)
		return error;
	if (options.split == REPORT_SPLIT_THREAD)
		error = task_times_init(&times, profile);
	if (error == 0 && options.format == REPORT_TEXT)
		error = listing_text(profile, &options, by, &rows, &times, out);
	else if (error == 0)
		error = listing_sheet(profile, &options, by, &rows, &times, out);
	task_times_release(&times);
	rows_release(&rows);
	return error;
}

int listing_print_flat(const struct profile *profile, const struct report_options *options,
	FILE *out, char **ret_problem)
{
	if (options_take(options).balance_by)
		return groups_print(profile, options, out, ret_problem);
	return print(profile, options, ROWS_BY_FUNCTION, out, ret_problem);
}

int listing_print_lines(const struct profile *profile, const struct report_options *options,
	FILE *out, char **ret_problem)
{
	return print(profile, options, ROWS_BY_LINE, out, ret_problem);
}
