/* SPDX-License-Identifier: MIT */
#include "view/report/groups.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sum.h"
#include "base/text.h"
#include "view/filter.h"
#include "view/header.h"
#include "view/layout.h"
#include "view/options.h"
#include "view/pairs.h"
#include "view/report/report.h"
#include "view/row_builder.h"
#include "view/share.h"
#include "view/task_times.h"
#include "view/wall_types.h"

enum { MAX_COLUMNS = 9 };

struct groups {
	const struct profile *profile;
	struct report_options options;
	struct rows rows; /* a row has task and id, or object; its self is all its time */
	size_t room;
	struct pairs names; /* by row: a name and an id; equal names are equal pointers */
	uint32_t *of_task;  /* by task, or by mapping: index + 1 of its row; 0: none */
	size_t left_out;    /* number of rows excluded by the options */
	struct wall_types wall;
	bool has_wall;
	struct task_times times; /* empty unless each thread has a row */
	/* Rows are ordered by the CPU time that the kernel charged, which is the first column. */
	bool by_used;
};

static bool by_object(const struct groups *g)
{
	return g->options.balance_by == REPORT_BY_OBJECT;
}

static int row_of(struct groups *g, const struct sample *sample)
{
	uint32_t index = sample->task;
	struct task task = profile_task(g->profile, sample->task);
	bool by_process = g->options.balance_by == REPORT_BY_PROCESS;
	const char *name = by_process ? task.process : task.thread;
	uint32_t id = by_process ? task.pid : task.tid;
	int row;

	if (by_object(g)) {
		index = sample->n ? profile_location(g->profile, sample->location[0]).mapping : 0;
		name = profile_mapping(g->profile, index).file;
		id = 0;
	}
	if (g->of_task[index])
		return (int)g->of_task[index] - 1;
	row = pairs_add(&g->names, (uintptr_t)name, id);
	if (row < 0 ||
		((size_t)row == g->rows.n &&
			array_add(&g->rows.row, &g->room, &g->rows.n,
				(struct row){.function = "",
					.file = "",
					.object = by_object(g) ? name : "",
					.task = by_object(g) ? "" : name,
					.id = id}) < 0))
		return -ENOMEM;
	g->of_task[index] = (uint32_t)row + 1;
	return row;
}

static int collect(struct groups *g, const struct places *places, const struct filter *filter)
{
	size_t values = profile_value_types(g->profile);
	int r = 0;

	rows_sum_up(g->profile, places, filter, &g->rows);
	for (size_t i = 0; i < profile_samples(g->profile) && r >= 0; i++) {
		struct sample sample = profile_sample(g->profile, i);

		if (!filter_takes(filter, g->profile, places, &sample))
			continue;
		r = row_of(g, &sample);
		if (r >= 0) {
			sum_add_all(g->rows.row[r].self, sample.value, values);
			sum_add_all(g->rows.row[r].total, sample.value, values);
		}
	}
	return r < 0 ? r : 0;
}

/* Rows are ordered by this amount. */
static int64_t rank_of(const struct groups *g, const struct row *row)
{
	int64_t used_ns;

	return g->by_used && task_times_of(&g->times, row, &used_ns) ? used_ns
								     : row->self[g->rows.weight];
}

static int compare(const void *a, const void *b, void *context)
{
	const struct row *x = a, *y = b;
	int64_t m = rank_of(context, x), n = rank_of(context, y);
	int by_name = strcmp(x->task, y->task);

	if (m != n)
		return m > n ? -1 : 1;
	by_name = by_name ? by_name : strcmp(x->object, y->object);
	return by_name ? by_name : (x->id > y->id) - (x->id < y->id);
}

static void settle(struct groups *g)
{
	struct rows *rows = &g->rows;
	double least = (double)rows->all[rows->weight] * g->options.min_percent / 100;
	size_t kept = 0;

	if (rows->n)
		qsort_r(rows->row, rows->n, sizeof(*rows->row), compare, g);
	while (kept < rows->n && (!g->options.limit || kept < g->options.limit) &&
		(double)rank_of(g, &rows->row[kept]) >= least)
		kept++;
	g->left_out = rows->n - kept;
	rows->n = kept;
}

static int fill(struct groups *g, char **ret_problem)
{
	struct places places;
	struct filter filter;
	int r = places_init(&places, g->profile, &g->options, ROWS_BY_FUNCTION);

	if (r < 0)
		return r;
	g->of_task = calloc(
		profile_tasks(g->profile) + profile_mappings(g->profile) + 1, sizeof(*g->of_task));
	r = g->of_task ? filter_init(&filter, g->profile, &places, &g->options, ret_problem)
		       : -ENOMEM;
	if (r == 0) {
		r = collect(g, &places, &filter);
		filter_release(&filter);
	}
	places_release(&places);
	if (r == 0 && g->options.split == REPORT_SPLIT_THREAD)
		r = task_times_init(&g->times, g->profile);
	/* A filter may choose a part of a thread; the kernel's figures are of whole threads. */
	g->by_used = g->times.n && g->times.complete && g->rows.weight == VALUE_CPU_NS &&
		!g->rows.filtered;
	settle(g);
	return r;
}

static const char *title(const struct groups *g)
{
	return by_object(g)                                  ? "object"
		: g->options.balance_by == REPORT_BY_PROCESS ? "process"
							     : "thread";
}

static size_t choose_columns(const struct groups *g, struct layout_column *column)
{
	size_t n = 0;

	if (g->by_used)
		column[n++] = (struct layout_column){"used", LAYOUT_RIGHT, LAYOUT_WHOLE, 0, 0};
	column[n++] = (struct layout_column){"time", LAYOUT_RIGHT, LAYOUT_WHOLE, 0, 0};
	column[n++] = (struct layout_column){"", LAYOUT_RIGHT, LAYOUT_WHOLE, 0, 2};
	if (g->rows.weight == VALUE_CPU_NS)
		column[n++] = (struct layout_column){"samples", LAYOUT_RIGHT, LAYOUT_WHOLE, 0, 1};
	if (g->times.n && !g->by_used)
		column[n++] = (struct layout_column){"used", LAYOUT_RIGHT, LAYOUT_WHOLE, 0, 0};
	if (g->has_wall) {
		column[n++] = (struct layout_column){"cpu", LAYOUT_RIGHT, LAYOUT_WHOLE, 0, 5};
		column[n++] = (struct layout_column){"queue", LAYOUT_RIGHT, LAYOUT_WHOLE, 0, 4};
		column[n++] = (struct layout_column){"blocked", LAYOUT_RIGHT, LAYOUT_WHOLE, 0, 3};
	}
	if (!by_object(g))
		column[n++] = (struct layout_column){
			g->options.balance_by == REPORT_BY_PROCESS ? "pid" : "tid", LAYOUT_RIGHT,
			LAYOUT_WHOLE, 0, 0};
	column[n++] = (struct layout_column){title(g), LAYOUT_LEFT, LAYOUT_PATH, 16, 0};
	return n;
}

static void add_row(const struct groups *g, struct layout *layout, struct text_scale scale,
	const struct row *row)
{
	int64_t value = row->self[g->rows.weight];
	const int64_t parts[] = {row->self[VALUE_CPU_NS],
		wall_types_value(row->self, g->wall.queue),
		wall_types_value(row->self, g->wall.blocked)};
	char cell[SHARE_BYTES];
	size_t at = 0;

	layout_row(layout, share_of(&g->rows, value));
	if (g->by_used)
		task_times_set(&g->times, row, layout, &at);
	/* Only objects have a sampling error: other weights are nearly what the kernel charged. */
	share_format(&g->rows, g->options.ascii, !by_object(g), value, cell);
	layout_set(layout, at++, cell);
	text_format_scaled(value, scale, cell);
	layout_set(layout, at++, cell);
	if (g->rows.weight == VALUE_CPU_NS) {
		(void)snprintf(cell, sizeof(cell), "%" PRId64, row->self[VALUE_SAMPLES]);
		layout_set(layout, at++, cell);
	}
	if (!g->by_used)
		task_times_set(&g->times, row, layout, &at);
	for (size_t i = 0; g->has_wall && i < 3; i++) {
		text_format_scaled(parts[i], scale, cell);
		layout_set(layout, at++, cell);
	}
	if (!by_object(g)) {
		(void)snprintf(cell, sizeof(cell), "%" PRIu32, row->id);
		layout_set(layout, at++, row->id ? cell : "-");
	}
	if (by_object(g))
		layout_set(layout, at, row->object[0] ? row->object : "[unknown]");
	else
		layout_set(layout, at, row->task[0] ? row->task : "[unknown]");
}

static void print_unseen(const struct groups *g, FILE *out)
{
	char text[TEXT_UNIT_BYTES];
	uint64_t kernel_ns, unseen_ns;

	if (!g->times.n || !g->times.complete ||
		!profile_audit(g->profile, "kernel_cpu_ns", &kernel_ns) ||
		kernel_ns <= (uint64_t)g->times.sum_ns)
		return;
	unseen_ns = kernel_ns - (uint64_t)g->times.sum_ns;
	text_format_ns(unseen_ns, text);
	/* Up to 0.1 % is no difference: the kernel's clocks are read at different times. */
	if (unseen_ns > kernel_ns / 1000)
		fprintf(out, "threads without a sample used %s\n", text);
}

static int print_text(const struct groups *g, FILE *out)
{
	struct layout_column column[MAX_COLUMNS];
	struct value_type type = profile_value_type(g->profile, g->rows.weight);
	struct text_scale scale =
		text_scale_for(type.unit, g->rows.n ? g->rows.row[0].self[g->rows.weight] : 0);
	struct layout layout;
	int r;

	layout_init(&layout, column, choose_columns(g, column), g->options.ascii, g->options.color);
	for (size_t i = 0; i < g->rows.n; i++)
		add_row(g, &layout, scale, &g->rows.row[i]);
	r = header_print(g->profile, &g->options, &g->rows, out);
	if (r == 0 && g->rows.n) {
		fputc('\n', out);
		r = layout_print(&layout, g->options.width, out);
	}
	layout_release(&layout);
	if (r < 0)
		return r;
	if (!g->rows.n)
		fprintf(out, "\n%s\n", g->rows.filtered ? "no sample matches" : "no samples");
	if (g->left_out)
		fprintf(out, "... and %zu more\n", g->left_out);
	print_unseen(g, out);
	fputc('\n', out);
	return report_audit(g->profile, REPORT_AUDIT_LINE, g->options.ascii, g->options.width, out);
}

static void add_cells(const struct groups *g, const struct row *row,
	const struct row_builder_other *other, struct row_builder *to)
{
	*to = (struct row_builder){0};
	row_builder_task(to, &g->options, row);
	row_builder_values(to, g->profile, row);
	if (by_object(g))
		row_builder_add(to, "object", cell_text(row->object));
	row_builder_others(to, other, row);
	task_times_add(&g->times, row, to);
}

static int print_sheet(const struct groups *g, FILE *out)
{
	static const struct row no_row = {.object = "", .task = ""};
	struct row_builder_other other;
	struct row_builder cells;
	struct sheet sheet;
	int r = row_builder_other_init(&other, g->profile, &g->rows);

	if (r < 0)
		return r;
	add_cells(g, &no_row, &other, &cells);
	sheet_begin(&sheet, g->options.format, cells.name, cells.n, out);
	for (size_t i = 0; i < g->rows.n; i++) {
		add_cells(g, &g->rows.row[i], &other, &cells);
		sheet_row(&sheet, cells.cell);
	}
	sheet_end(&sheet);
	row_builder_other_release(&other);
	return 0;
}

int groups_print(const struct profile *profile, const struct report_options *options, FILE *out,
	char **ret_problem)
{
	struct groups g = {.profile = profile, .options = options_take(options)};
	int r;

	g.options.split = by_object(&g)                     ? REPORT_SPLIT_NONE
		: g.options.balance_by == REPORT_BY_PROCESS ? REPORT_SPLIT_PROCESS
							    : REPORT_SPLIT_THREAD;
	r = fill(&g, ret_problem);
	g.has_wall = r == 0 && wall_types_find(profile, &g.wall) && g.rows.weight == g.wall.wall;
	if (r == 0)
		r = g.options.format == REPORT_TEXT ? print_text(&g, out) : print_sheet(&g, out);
	free(g.rows.row);
	free(g.of_task);
	pairs_release(&g.names);
	task_times_release(&g.times);
	return r;
}
