/* SPDX-License-Identifier: MIT */
/*
 * The reports `flat` and `lines`: rows by function or by source line; and `flat --by process`,
 * `thread` or `object`: a row for each, with the time of its samples.
 */
#include <inttypes.h>
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

struct listing {
	const struct report_options *options;
	const struct rows *rows;
	struct text_scale scale;
	enum rows_by by;
	bool has_samples; /* the number of samples is a column */
	struct wall_types wall;
	bool has_wall; /* the parts of wall-clock time are columns */
	struct layout layout;
};

/* Appends the share and the amount. */
static void put_value(struct listing *l, const struct row *row, int64_t value, const char *title,
	unsigned share_drop, unsigned amount_drop)
{
	/*
	 * The share of a process or thread has hardly a sampling error: the weights of its samples
	 * add up to about the CPU time that the kernel charged to it.
	 */
	bool exact = row->unsampled || l->by == ROWS_BY_TASK;
	char text[SHARE_BYTES];

	share_format(l->rows, l->options->ascii, exact, value, text);
	layout_number(&l->layout, title, share_drop, "%s", text);
	text_format_scaled(value, l->scale, text);
	layout_number(&l->layout, "", amount_drop, "%s", text);
}

static void put_samples(struct listing *l, const struct row *row, unsigned drop)
{
	if (l->has_samples)
		layout_number(&l->layout, "samples", drop, "%" PRId64, row->self[VALUE_SAMPLES]);
}

static void put_part(struct listing *l, const char *title, int64_t value, unsigned drop)
{
	char text[TEXT_UNIT_BYTES];

	/* All parts of wall-clock time have one unit. */
	text_format_scaled(value, l->scale, text);
	layout_number(&l->layout, title, drop, "%s", text);
}

/* Adds the row of a process, thread or object. Drop ranks: see add_row(). */
static void add_whole_row(struct listing *l, const struct row *row)
{
	const struct rows *rows = l->rows;
	bool processes = l->options->split == REPORT_SPLIT_PROCESS;
	char id[16];

	(void)snprintf(id, sizeof(id), "%" PRIu32, row->id);
	if (rows->by_used)
		task_times_put(&rows->times, row, &l->layout, 0);
	put_value(l, row, row->self[rows->weight], "time", 0, 2);
	put_samples(l, row, 1);
	if (!rows->by_used)
		task_times_put(&rows->times, row, &l->layout, 0);
	if (l->has_wall) {
		put_part(l, "cpu", row->self[VALUE_CPU_NS], 5);
		put_part(l, "queue", wall_types_value(row->self, l->wall.queue), 4);
		put_part(l, "blocked", wall_types_value(row->self, l->wall.blocked), 3);
	}
	if (l->by == ROWS_BY_TASK)
		layout_number(&l->layout, processes ? "pid" : "tid", 0, "%s", row->id ? id : "-");
	layout_text(&l->layout,
		l->by == ROWS_BY_OBJECT ? "object"
			: processes     ? "process"
					: "thread",
		LAYOUT_PATH, 16, 0, "%s", row->function[0] ? row->function : "[unknown]");
}

static void put_task(struct listing *l, const struct row *row)
{
	const char *title = l->options->split == REPORT_SPLIT_THREAD ? "thread" : "process";

	if (row->id)
		layout_text(
			&l->layout, title, LAYOUT_NAME, 16, 0, "%s %" PRIu32, row->task, row->id);
	else
		layout_text(&l->layout, title, LAYOUT_NAME, 16, 0, "%s",
			row->task[0] ? row->task : "-");
}

static void put_line(struct listing *l, const struct row *row)
{
	if (row->line)
		layout_text(&l->layout, "line", LAYOUT_PATH, 20, 0, "%s:%" PRIu32,
			text_basename(row->file), row->line);
	else
		layout_text(&l->layout, "line", LAYOUT_PATH, 20, 0, "%s",
			row->file[0] ? text_basename(row->file) : "-");
}

static void add_row(struct listing *l, const struct row *row)
{
	const struct rows *rows = l->rows;
	bool lines = l->by == ROWS_BY_LINE;

	/*
	 * The drop ranks tell in which order a narrow table drops columns: 1 first, 0 never. First
	 * dropped are columns that the reader can derive from others: times and (roughly) numbers
	 * of samples from shares, the object from the file. The total is kept longer than the
	 * object, because most lines have no self. Of the parts of wall-clock time, the blocked
	 * part is kept longest: the rest is mostly CPU time.
	 */
	put_value(l, row, row->self[rows->weight], "self", 0, 3);
	if (rows->has_callers)
		put_value(l, row, row->total[rows->weight], "total", 5, 1);
	put_samples(l, row, 2);
	if (l->has_wall) {
		if (rows->weight != VALUE_CPU_NS)
			put_part(l, "cpu", row->self[VALUE_CPU_NS], 6);
		put_part(l, "queue", wall_types_value(row->self, l->wall.queue), 7);
		put_part(l, "blocked", wall_types_value(row->self, l->wall.blocked), 8);
	}
	task_times_put(&rows->times, row, &l->layout, 9);
	if (l->options->split)
		put_task(l, row);
	layout_text(&l->layout, "function", LAYOUT_NAME, lines ? 28 : 36, 0, "%s", row->function);
	if (lines)
		put_line(l, row);
	layout_text(&l->layout, "object", LAYOUT_PATH, 16, lines ? 4 : 0, "%s",
		row->object[0] ? text_basename(row->object) : "-");
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
	int error;

	for (size_t i = 0; i < rows->n; i++) {
		int64_t amount = rows_amount(rows->row[i].total[rows->weight]);

		if (amount > most)
			most = amount;
	}
	l.has_samples = of_cpu && (whole || rows->all[VALUE_SAMPLES] > 0);
	l.has_wall = wall_types_find(profile, &l.wall) &&
		(rows->weight == l.wall.wall || (of_cpu && !whole));
	l.scale = text_scale_for(type.unit, most);
	layout_init(&l.layout, options->ascii, options->color);
	for (size_t i = 0; i < rows->n; i++) {
		layout_row(&l.layout, share_of(rows, rows->row[i].self[rows->weight]));
		if (whole)
			add_whole_row(&l, &rows->row[i]);
		else
			add_row(&l, &rows->row[i]);
	}
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
	/*
	 * with_self leaves out functions that only call others. Processes, threads and objects call
	 * nothing, so they keep their rows.
	 */
	options.with_self &= by == ROWS_BY_FUNCTION;
	return print(profile, &options, by, out, ret_problem);
}

int listing_print_lines(const struct profile *profile, const struct report_options *given,
	FILE *out, char **ret_problem)
{
	struct report_options options = options_take(given);

	return print(profile, &options, ROWS_BY_LINE, out, ret_problem);
}
