/* SPDX-License-Identifier: MIT */
/*
 * The reports `flat` and `lines`: rows by function or by source line; and `flat --by process`,
 * `thread` or `object`: a row for each, with the time of its samples.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/header.h"
#include "view/layout.h"
#include "view/options.h"
#include "view/report/report.h"
#include "view/share.h"
#include "view/sheet.h"
#include "view/task_times.h"
#include "view/wall_types.h"

enum { MAX_COLUMNS = 13, CELL_BYTES = SHARE_BYTES };

struct listing {
	const struct report_options *options;
	const struct rows *rows;
	struct text_scale scale;
	enum rows_by by;
	bool has_samples; /* the number of samples is a column */
	struct wall_types wall;
	bool has_wall; /* the parts of wall-clock time are columns */
	struct layout_column column[MAX_COLUMNS];
	size_t columns;
	struct layout layout;
	size_t at; /* column of the next cell to be set */
};

static void add_number(struct listing *l, const char *title, unsigned drop)
{
	l->column[l->columns++] =
		(struct layout_column){title, LAYOUT_RIGHT, LAYOUT_WHOLE, 0, drop};
}

static void add_text(
	struct listing *l, const char *title, enum layout_cut cut, unsigned comfort, unsigned drop)
{
	l->column[l->columns++] = (struct layout_column){title, LAYOUT_LEFT, cut, comfort, drop};
}

/* The columns of rows by process, thread or object. Drop ranks: see choose_columns(). */
static void choose_whole_columns(struct listing *l)
{
	const struct rows *rows = l->rows;
	bool processes = l->options->split == REPORT_SPLIT_PROCESS;

	if (rows->by_used)
		add_number(l, "used", 0);
	add_number(l, "time", 0);
	add_number(l, "", 2);
	if (l->has_samples)
		add_number(l, "samples", 1);
	if (rows->times.n && !rows->by_used)
		add_number(l, "used", 0);
	if (l->has_wall) {
		add_number(l, "cpu", 5);
		add_number(l, "queue", 4);
		add_number(l, "blocked", 3);
	}
	if (l->by == ROWS_BY_TASK)
		add_number(l, processes ? "pid" : "tid", 0);
	add_text(l,
		l->by == ROWS_BY_OBJECT ? "object"
			: processes     ? "process"
					: "thread",
		LAYOUT_PATH, 16, 0);
}

static void choose_columns(struct listing *l)
{
	const struct rows *rows = l->rows;
	bool lines = l->by == ROWS_BY_LINE;

	/*
	 * The last argument is the rank by which a narrow table drops columns: 1 first, 0 never.
	 * Columns that follow from others go first: times and (roughly) samples from shares, the
	 * object from the file. Most lines have no self: the total stays longer than the object. Of
	 * wall-clock time, the blocked part stays longest: the rest is mostly CPU time.
	 */
	add_number(l, "self", 0);
	add_number(l, "", 3);
	if (rows->has_callers) {
		add_number(l, "total", 5);
		add_number(l, "", 1);
	}
	if (l->has_samples)
		add_number(l, "samples", 2);
	if (l->has_wall) {
		if (rows->weight != VALUE_CPU_NS)
			add_number(l, "cpu", 6);
		add_number(l, "queue", 7);
		add_number(l, "blocked", 8);
	}
	if (rows->times.n)
		add_number(l, "used", 9);
	if (l->options->split)
		add_text(l, l->options->split == REPORT_SPLIT_THREAD ? "thread" : "process",
			LAYOUT_NAME, 16, 0);
	add_text(l, "function", LAYOUT_NAME, lines ? 28 : 36, 0);
	if (lines)
		add_text(l, "line", LAYOUT_PATH, 20, 0);
	add_text(l, "object", LAYOUT_PATH, 16, lines ? 4 : 0);
}

static void set(struct listing *l, const char *text)
{
	layout_set(&l->layout, l->at++, text);
}

static void set_value(struct listing *l, const struct row *row, int64_t value)
{
	char cell[CELL_BYTES];

	/* A task's share has hardly a sampling error: its weights are what the kernel charged. */
	share_format(
		l->rows, l->options->ascii, row->unsampled || l->by == ROWS_BY_TASK, value, cell);
	set(l, cell);
	text_format_scaled(value, l->scale, cell);
	set(l, cell);
}

/* All parts of wall-clock time have one unit. */
static void set_wall(struct listing *l, const struct row *row)
{
	const int64_t parts[] = {row->self[VALUE_CPU_NS],
		wall_types_value(row->self, l->wall.queue),
		wall_types_value(row->self, l->wall.blocked)};
	char cell[CELL_BYTES];

	for (size_t i = l->rows->weight == VALUE_CPU_NS; i < 3; i++) {
		text_format_scaled(parts[i], l->scale, cell);
		set(l, cell);
	}
}

static int set_joined(struct listing *l, const char *name, char separator, uint32_t number)
{
	char *text;

	if (asprintf(&text, "%s%c%" PRIu32, name, separator, number) < 0)
		return -ENOMEM;
	set(l, text);
	free(text);
	return 0;
}

static void set_number(struct listing *l, int64_t number)
{
	char cell[CELL_BYTES];

	(void)snprintf(cell, sizeof(cell), "%" PRId64, number);
	set(l, cell);
}

/* Adds the row of a process, thread or object. */
static void add_whole_row(struct listing *l, const struct row *row)
{
	const struct rows *rows = l->rows;

	if (rows->by_used)
		task_times_set(&rows->times, row, &l->layout, &l->at);
	set_value(l, row, row->self[rows->weight]);
	if (l->has_samples)
		set_number(l, row->self[VALUE_SAMPLES]);
	if (!rows->by_used)
		task_times_set(&rows->times, row, &l->layout, &l->at);
	if (l->has_wall)
		set_wall(l, row);
	if (l->by == ROWS_BY_TASK && row->id)
		set_number(l, row->id);
	else if (l->by == ROWS_BY_TASK)
		set(l, "-");
	set(l, row->function[0] ? row->function : "[unknown]");
}

static int add_row(struct listing *l, const struct row *row)
{
	size_t weight = l->rows->weight;
	int error = 0;

	layout_row(&l->layout, share_of(l->rows, row->self[weight]));
	l->at = 0;
	if (l->by >= ROWS_BY_TASK) {
		add_whole_row(l, row);
		return 0;
	}
	set_value(l, row, row->self[weight]);
	if (l->rows->has_callers)
		set_value(l, row, row->total[weight]);
	if (l->has_samples)
		set_number(l, row->self[VALUE_SAMPLES]);
	if (l->has_wall)
		set_wall(l, row);
	task_times_set(&l->rows->times, row, &l->layout, &l->at);
	if (l->options->split && row->id)
		error = set_joined(l, row->task, ' ', row->id);
	else if (l->options->split)
		set(l, row->task[0] ? row->task : "-");
	set(l, row->function);
	if (l->by == ROWS_BY_LINE && row->line && !error)
		error = set_joined(l, text_basename(row->file), ':', row->line);
	else if (l->by == ROWS_BY_LINE)
		set(l, row->file[0] ? text_basename(row->file) : "-");
	set(l, row->object[0] ? text_basename(row->object) : "-");
	return error;
}

static void print_nothing(const struct listing *l, const struct profile *profile, FILE *out)
{
	char period[TEXT_UNIT_BYTES];
	uint64_t chosen, kernel_ns;

	fputc('\n', out);
	if (l->rows->left_out_rows)
		return;
	if (l->rows->filtered) {
		fputs("no sample matches\n", out);
	} else if (profile_audit(profile, "chosen_threads", &chosen) && !chosen) {
		fputs("no samples: no thread was chosen\n", out);
	} else if (profile_audit(profile, "kernel_cpu_ns", &kernel_ns) && !kernel_ns) {
		fputs("no samples: no CPU time was used while it was profiled\n", out);
	} else if (profile_period_ns(profile)) {
		text_format_ns(profile_period_ns(profile), period);
		fprintf(out, "no samples: it used less CPU time than a period, %s\n", period);
	} else {
		fputs("no samples\n", out);
	}
}

static void print_left_out(const struct listing *l, FILE *out)
{
	const struct rows *rows = l->rows;
	const char *what = l->options->split ? "row" : l->by == ROWS_BY_LINE ? "line" : "function";
	size_t callers = rows->callers_only, others = rows->left_out_rows - callers;

	if (others && l->by >= ROWS_BY_TASK)
		fprintf(out, "... and %zu more\n", others);
	else if (others)
		fprintf(out, "... and %zu more %s%s with %.1f %%\n", others, what,
			others == 1 ? "" : "s",
			share_of(rows, rows->left_out.self[rows->weight]) * 100);
	if (callers)
		fprintf(out, "... and %zu %s%s: --sort total\n", callers, what,
			callers == 1 ? " that only calls others" : "s that only call others");
}

/* Rows by thread are of threads with samples: prints the CPU time of the others. */
static void print_unseen(const struct listing *l, const struct profile *profile, FILE *out)
{
	const struct task_times *times = &l->rows->times;
	char text[TEXT_UNIT_BYTES];
	uint64_t kernel_ns, unseen_ns;

	if (l->by != ROWS_BY_TASK || !times->n || !times->complete ||
		!profile_audit(profile, "kernel_cpu_ns", &kernel_ns) ||
		kernel_ns <= (uint64_t)times->sum_ns)
		return;
	unseen_ns = kernel_ns - (uint64_t)times->sum_ns;
	text_format_ns(unseen_ns, text);
	/* Up to 0.1 % is no difference: the kernel's clocks are read at different times. */
	if (unseen_ns > kernel_ns / 1000)
		fprintf(out, "threads without a sample used %s\n", text);
}

/* If most of the wall-clock time is in a system call, names the reports that show its callers. */
static void point_to_callers(const struct listing *l, FILE *out)
{
	const struct row *row = l->rows->row;

	if (!l->rows->n || !l->has_wall || l->by >= ROWS_BY_TASK ||
		l->rows->weight != l->wall.wall || strncmp(row->function, "[syscall] ", 10) != 0 ||
		share_of(l->rows, row->self[l->rows->weight]) <= 0.5)
		return;
	fputs("most of the time is in a system call: sprofreport tree, or callers FUNCTION, shows "
	      "who waits\n",
		out);
}

static int print_text(const struct profile *profile, const struct report_options *options,
	enum rows_by by, const struct rows *rows, FILE *out)
{
	struct listing l = {.options = options, .rows = rows, .by = by};
	struct value_type type = profile_value_type(profile, rows->weight);
	bool of_cpu = rows->weight == VALUE_CPU_NS, whole = by >= ROWS_BY_TASK;
	int64_t most = 0;
	int error = 0;

	for (size_t i = 0; i < rows->n; i++) {
		int64_t amount = rows_amount(rows->row[i].total[rows->weight]);

		if (amount > most)
			most = amount;
	}
	l.has_samples = of_cpu && (whole || rows->all[VALUE_SAMPLES] > 0);
	l.has_wall = wall_types_find(profile, &l.wall) &&
		(rows->weight == l.wall.wall || (of_cpu && !whole));
	l.scale = text_scale_for(type.unit, most);
	if (whole)
		choose_whole_columns(&l);
	else
		choose_columns(&l);
	layout_init(&l.layout, l.column, l.columns, options->ascii, options->color);
	for (size_t i = 0; i < rows->n && !error; i++)
		error = add_row(&l, &rows->row[i]);
	if (!error)
		error = header_print(profile, options, rows, out);
	if (!error && rows->n) {
		fputc('\n', out);
		error = layout_print(&l.layout, options->width, out);
	}
	layout_release(&l.layout);
	if (error)
		return error;
	if (!rows->n)
		print_nothing(&l, profile, out);
	print_left_out(&l, out);
	print_unseen(&l, profile, out);
	point_to_callers(&l, out);
	fputc('\n', out);
	return report_audit(profile, REPORT_AUDIT_LINE, options->ascii, options->width, out);
}

static void put_row(struct sheet *sheet, const struct profile *profile,
	const struct report_options *options, enum rows_by by, const struct rows *rows,
	const struct row *row)
{
	sheet_task(sheet, options, row);
	sheet_values(sheet, profile, row);
	if (by < ROWS_BY_TASK)
		sheet_cell(sheet, "function", cell_text(row->function));
	if (by == ROWS_BY_LINE) {
		sheet_cell(sheet, "file", cell_text(row->file));
		sheet_cell(sheet, "line", cell_number(row->line));
	}
	if (by != ROWS_BY_TASK)
		sheet_cell(sheet, "object", cell_text(row->object));
	sheet_others(sheet, profile, rows->weight, row);
	task_times_add(&rows->times, row, sheet);
	sheet_row(sheet);
}

static int print_sheet(const struct profile *profile, const struct report_options *options,
	enum rows_by by, const struct rows *rows, FILE *out)
{
	static const struct row names;
	struct sheet sheet;

	sheet_begin(&sheet, options->format, out);
	put_row(&sheet, profile, options, by, rows, &names);
	for (size_t i = 0; i < rows->n; i++)
		put_row(&sheet, profile, options, by, rows, &rows->row[i]);
	return sheet_end(&sheet);
}

static int print(const struct profile *profile, const struct report_options *options,
	enum rows_by by, FILE *out, char **ret_problem)
{
	struct rows rows;
	int error = rows_collect(profile, options, by, &rows, ret_problem);

	if (error < 0)
		return error;
	if (options->format == REPORT_TEXT)
		error = print_text(profile, options, by, &rows, out);
	else
		error = print_sheet(profile, options, by, &rows, out);
	rows_release(&rows);
	return error;
}

int listing_print_flat(const struct profile *profile, const struct report_options *given, FILE *out,
	char **ret_problem)
{
	struct report_options options = options_take(given);
	enum rows_by by = ROWS_BY_TASK;

	switch (options.balance_by) {
	case REPORT_BY_NONE: by = ROWS_BY_FUNCTION; break;
	case REPORT_BY_OBJECT:
		by = ROWS_BY_OBJECT;
		options.split = REPORT_SPLIT_NONE;
		break;
	case REPORT_BY_PROCESS: options.split = REPORT_SPLIT_PROCESS; break;
	default: options.split = REPORT_SPLIT_THREAD; break;
	}
	/* What is no function does not call others. */
	options.with_self &= by == ROWS_BY_FUNCTION;
	return print(profile, &options, by, out, ret_problem);
}

int listing_print_lines(const struct profile *profile, const struct report_options *given,
	FILE *out, char **ret_problem)
{
	struct report_options options = options_take(given);

	return print(profile, &options, ROWS_BY_LINE, out, ret_problem);
}
