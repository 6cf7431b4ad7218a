/* SPDX-License-Identifier: MIT */
#include "view/listing.h"

#include <errno.h>
#include <stdlib.h>

#include "view/options.h"
#include "view/sheet.h"

enum { MAX_COLUMNS = 16 };

/* The columns of a table for programs, gathered in their order; @row NULL gathers the names. */
struct gathering {
	const char *name[MAX_COLUMNS];
	struct cell cell[MAX_COLUMNS];
	size_t n;
};

static void gather(struct gathering *to, const char *name, struct cell cell)
{
	to->name[to->n] = name;
	to->cell[to->n++] = cell;
}

static size_t value_type_of(const struct profile *profile, const char *type)
{
	size_t n = profile_value_types(profile);

	for (size_t i = VALUE_CPU_NS + 1; i < n; i++) {
		struct value_type value = profile_value_type(profile, i);

		if (!strcmp(value.type, type) && !strcmp(value.unit, "nanoseconds"))
			return i;
	}
	return n;
}

/* Names of the values of a profile that has neither samples nor CPU time (a heap profile). */
struct other_value {
	size_t index; /* 0 none */
	char *self, *total;
};

static void gather_wall(struct gathering *to, const struct profile *profile, const struct row *row)
{
	size_t n = profile_value_types(profile);
	size_t wall = value_type_of(profile, "wall"), queue = value_type_of(profile, "runqueue");

	if (wall == n && queue == n)
		return;
	gather(to, "wall_ns", cell_number(wall < n ? row->self[wall] : 0));
	gather(to, "runqueue_ns", cell_number(queue < n ? row->self[queue] : 0));
}

static void gather_row(struct gathering *to, const struct profile *profile,
	const struct report_options *options, enum rows_by by, const struct row *row,
	const struct other_value *other)
{
	*to = (struct gathering){0};
	if (options->split == REPORT_SPLIT_PROCESS) {
		gather(to, "pid", cell_number(row->id));
		gather(to, "process", cell_text(row->task));
	} else if (options->split == REPORT_SPLIT_THREAD) {
		gather(to, "tid", cell_number(row->id));
		gather(to, "thread", cell_text(row->task));
	}
	gather(to, "self_samples", cell_number(row->self[VALUE_SAMPLES]));
	gather(to, "self_ns", cell_number(row->self[VALUE_CPU_NS]));
	gather(to, "total_samples", cell_number(row->total[VALUE_SAMPLES]));
	gather(to, "total_ns", cell_number(row->total[VALUE_CPU_NS]));
	gather_wall(to, profile, row);
	gather(to, "function", cell_text(row->function));
	if (by == ROWS_BY_LINE) {
		gather(to, "file", cell_text(row->file));
		gather(to, "line", cell_number(row->line));
	}
	gather(to, "object", cell_text(row->object));
	if (other->index) {
		gather(to, other->self, cell_number(row->self[other->index]));
		gather(to, other->total, cell_number(row->total[other->index]));
	}
}

/* "self_inuse_space_bytes", "total_inuse_space_bytes". */
static int name_other(const struct profile *profile, size_t weight, struct other_value *other)
{
	struct value_type type = profile_value_type(profile, weight);

	*other = (struct other_value){0};
	if (weight <= VALUE_CPU_NS)
		return 0;
	other->index = weight;
	if (asprintf(&other->self, "self_%s_%s", type.type, type.unit) < 0) {
		other->self = NULL;
		return -ENOMEM;
	}
	if (asprintf(&other->total, "total_%s_%s", type.type, type.unit) < 0) {
		other->total = NULL;
		return -ENOMEM;
	}
	return 0;
}

static int listing_sheet(const struct profile *profile, const struct report_options *options,
	enum rows_by by, const struct rows *rows, FILE *out)
{
	static const struct row no_row = {.function = "", .file = "", .object = "", .task = ""};
	struct other_value other;
	struct gathering names, cells;
	struct sheet sheet;
	int error = name_other(profile, rows->weight, &other);

	if (!error) {
		gather_row(&names, profile, options, by, &no_row, &other);
		sheet_begin(&sheet, options->format, names.name, names.n, out);
		for (size_t i = 0; i < rows->n; i++) {
			gather_row(&cells, profile, options, by, &rows->row[i], &other);
			sheet_row(&sheet, cells.cell);
		}
		sheet_end(&sheet);
	}
	free(other.self);
	free(other.total);
	return error;
}

static int print(const struct profile *profile, const struct report_options *given, enum rows_by by,
	FILE *out, char **ret_problem)
{
	struct report_options options = options_take(given);
	struct rows rows;
	int error = rows_collect(profile, &options, by, &rows, ret_problem);

	if (error < 0)
		return error;
	if (options.format == REPORT_TEXT)
		error = listing_text(profile, &options, by, &rows, out);
	else
		error = listing_sheet(profile, &options, by, &rows, out);
	rows_release(&rows);
	return error;
}

int listing_print_flat(const struct profile *profile, const struct report_options *options,
	FILE *out, char **ret_problem)
{
	return print(profile, options, ROWS_BY_FUNCTION, out, ret_problem);
}

int listing_print_lines(const struct profile *profile, const struct report_options *options,
	FILE *out, char **ret_problem)
{
	return print(profile, options, ROWS_BY_LINE, out, ret_problem);
}
