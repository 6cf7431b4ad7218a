/* SPDX-License-Identifier: MIT */
#include "view/report/timeline_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/header.h"
#include "view/layout.h"
#include "view/options.h"
#include "view/report/report.h"
#include "view/sheet.h"
#include "view/strip.h"
#include "view/wrap.h"

/* Number of intervals if the report is printed as TSV, CSV or JSON. */
enum { SHEET_COLUMNS = 100 };

/*
 * MOST_PHASES: maximum rows of the table of phases. If it would have more, intervals of twice the
 * length are tried. The other constants are widths, in columns.
 */
enum {
	MOST_PHASES = 16,
	NAME_COLUMNS = 22,
	LABEL_COLUMNS = NAME_COLUMNS + 7,
	TIMES_COLUMNS = 70,
	SCALE_GAP = 6
};

static void format_seconds(uint64_t ns, uint64_t all_ns, char to[TEXT_UNIT_BYTES])
{
	int digits = all_ns < 1000000000 ? 4 : all_ns < 100000000000 ? 3 : 1;

	(void)snprintf(to, TEXT_UNIT_BYTES, "%.*f s", digits, (double)ns / 1e9);
}

/* Prints the value that strips show, and beside it as many points in time as fit. */
static int put_scale(const struct time_grid *grid, FILE *out)
{
	uint64_t all = grid->to_ns - grid->from_ns;
	char *label = text_clean(grid->is_cpu ? "CPU" : frames_value_type(&grid->frames).type,
		grid->frames.options.ascii);
	size_t at = 0;

	if (!label || text_cut_name(&label, LABEL_COLUMNS, grid->frames.options.ascii) < 0) {
		free(label);
		return -ENOMEM;
	}
	fprintf(out, "%*s%s  ", (int)(LABEL_COLUMNS - text_columns(label)), "", label);
	free(label);
	while (at < grid->columns) {
		char text[TEXT_UNIT_BYTES];
		size_t bytes;

		format_seconds(time_grid_ns(grid, at), all, text);
		bytes = strlen(text);
		if (at + bytes > grid->columns && at)
			break;
		fprintf(out, "%s", text);
		at += bytes + SCALE_GAP;
		/* Blanks beyond the width would begin another line on a terminal. */
		if (at <= grid->columns || !grid->frames.options.width)
			fprintf(out, "%*s", SCALE_GAP, "");
	}
	fputc('\n', out);
	return 0;
}

static int put_strip(
	const struct time_grid *grid, const char *name, const double *cell, double most, FILE *out)
{
	const struct report_options *options = &grid->frames.options;
	double column_ns = (double)(grid->to_ns - grid->from_ns) / (double)grid->columns, all = 0;
	char *label = text_clean(name, options->ascii);

	if (!label || text_cut_name(&label, NAME_COLUMNS, options->ascii) < 0) {
		free(label);
		return -ENOMEM;
	}
	for (size_t i = 0; i < grid->columns; i++)
		all += cell[i];
	fprintf(out, "%s%*s", label, (int)(NAME_COLUMNS - text_columns(label)), "");
	free(label);
	if (grid->is_time)
		fprintf(out, " %5.1f %% ", all * 100 / column_ns / (double)grid->columns);
	else
		fprintf(out, "%9s", "");
	for (size_t i = 0; i < grid->columns; i++)
		strip_put(cell[i] / most, options->ascii, options->color, out);
	fputc('\n', out);
	return 0;
}

/*
 * Returns the weight that is shown as a cell of full height: the weight of the greatest cell, but
 * at least that of one CPU or thread that runs all the time.
 */
static double most_of(const struct time_grid *grid, const double *cell)
{
	double most =
		grid->is_time ? (double)(grid->to_ns - grid->from_ns) / (double)grid->columns : 1;

	for (size_t i = 0; i < grid->columns; i++)
		most = cell[i] > most ? cell[i] : most;
	return most;
}

/* Returns "worker 101", "nginx 100" or "cc1 ×12" (12 joined ones), freed by the caller; or NULL. */
static char *name_row(const struct time_grid *grid, const struct task *task, uint32_t tasks)
{
	bool by_process = grid->frames.options.split == REPORT_SPLIT_PROCESS;
	const char *name = task->thread[0] && !by_process ? task->thread : task->process;
	char *text;
	int n;

	if (tasks > 1)
		n = asprintf(&text, "%s %s%" PRIu32, name,
			grid->frames.options.ascii ? "x" : "\xc3\x97", tasks);
	else
		n = asprintf(&text, "%s %" PRIu32, name,
			task->tid && !by_process ? task->tid : task->pid);
	return n < 0 ? NULL : text;
}

static int put_strips(const struct time_grid *grid, FILE *out)
{
	const struct profile *profile = grid->frames.profile;
	double *all = calloc(grid->columns + 1, sizeof(*all));
	int r = all ? 0 : -ENOMEM;

	for (size_t i = 0; i < (grid->rows + 1) * grid->columns && !r; i++)
		all[i % grid->columns] += grid->cell[i];
	if (!r)
		r = put_scale(grid, out);
	if (!r && grid->rows != 1)
		r = put_strip(grid, "all threads", all, most_of(grid, all), out);
	for (size_t i = 0; i < grid->rows && !r; i++) {
		const double *cell = grid->cell + i * grid->columns;
		struct task task = profile_task(profile, grid->row[i].task);
		char *name = NULL;

		name = name_row(grid, &task, grid->row[i].tasks);
		r = name ? put_strip(grid, name, cell, most_of(grid, cell), out) : -ENOMEM;
		free(name);
	}
	free(all);
	return r;
}

/* Did nothing run for most of a phase, so that missing samples are not chance? */
static bool is_surely_idle(const struct time_grid *grid, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t sure_ns = 0;

	for (size_t i = 0; i < grid->gaps; i++) {
		const struct timeline_gap *gap = &grid->gap[i];
		uint64_t a = gap->from_ns > from_ns ? gap->from_ns : from_ns;
		uint64_t b = gap->to_ns < to_ns ? gap->to_ns : to_ns;

		sure_ns += gap->sure && b > a ? b - a : 0;
	}
	return sure_ns > (to_ns - from_ns) / 2;
}

static const char *name_idle(const struct time_grid *grid, uint64_t from_ns, uint64_t to_ns)
{
	if (!grid->is_cpu)
		return "(hardly anything)";
	return is_surely_idle(grid, from_ns, to_ns) ? "(hardly anything ran)" : "(hardly a sample)";
}

static void put_phase(
	struct layout *layout, const struct time_grid *grid, const struct timeline_phase *phase)
{
	uint64_t from = time_grid_ns(grid, phase->from), to = time_grid_ns(grid, phase->to);
	uint64_t all = grid->to_ns - grid->from_ns;
	bool idle = phase->place == TIMELINE_NO_PLACE;
	const struct place *place = idle ? NULL : &grid->frames.places.place[phase->place];
	char text[TEXT_UNIT_BYTES];

	layout_row(layout, idle ? LAYOUT_DIM : 0);
	format_seconds(from, all, text);
	layout_number(layout, "from", 0, "%s", text);
	format_seconds(to, all, text);
	layout_number(layout, "to", 0, "%s", text);
	layout_number(layout,
		grid->is_cpu            ? "CPUs"
			: grid->is_time ? "threads"
					: "sum",
		0, "%.*f", grid->is_time ? 2 : 0,
		grid->is_time ? phase->weight / (double)(to - from) : phase->weight);
	if (!idle && phase->weight > 0)
		layout_number(
			layout, "of it", 0, "%.0f %%", phase->top_weight * 100 / phase->weight);
	else
		layout_number(layout, "of it", 0, "%s", "");
	layout_text(layout, "function on top", LAYOUT_NAME, 24, 0, "%s",
		idle ? name_idle(grid, from, to) : place->function);
	layout_text(layout, "object", LAYOUT_PATH, 12, 1, "%s",
		idle ? "" : text_basename(place->object));
}

static int put_phases(const struct time_grid *grid, FILE *out)
{
	const struct report_options *options = &grid->frames.options;
	struct timeline_phase *phase = NULL;
	struct layout layout;
	size_t phases = SIZE_MAX;
	int r = 0;

	for (size_t part = 1; phases > MOST_PHASES && r >= 0; part *= 2) {
		free(phase);
		phase = NULL;
		r = time_grid_phases(grid, TIMELINE_NO_ROW, part, true, &phase, &phases);
		if (part >= grid->columns)
			break;
	}
	if (r < 0)
		return r;
	layout_init(&layout, options->ascii, options->color);
	for (size_t i = 0; i < phases; i++)
		put_phase(&layout, grid, &phase[i]);
	free(phase);
	r = layout_print(&layout, options->width, out);
	layout_release(&layout);
	return r;
}

/* A line has two names beside the times, so each is cut if the report has a width. */
static void put_name(const struct time_grid *grid, const char *name, FILE *out)
{
	unsigned width = grid->frames.options.width;
	char *text = width ? strdup(name) : NULL;
	size_t most = width > TIMES_COLUMNS + 2 * NAME_COLUMNS ? (width - TIMES_COLUMNS) / 2
							       : NAME_COLUMNS;

	if (text && text_cut_name(&text, most, grid->frames.options.ascii) == 0)
		name = text;
	text_put(name, out);
	free(text);
}

/*
 * Prints @before, then the functions of the stack from the leaf outwards. Stops after the first
 * function whose object is a file, not for example "[kernel]".
 */
static void put_stack(const struct time_grid *grid, const char *before, uint32_t stack, FILE *out)
{
	const struct places *places = &grid->frames.places;
	const char *last = NULL;
	struct sample sample;

	if (stack == TIMELINE_NO_STACK)
		return;
	sample = profile_sample(grid->frames.profile, stack);
	fputs(before, out);
	for (size_t i = 0; i < sample.n; i++) {
		const struct place *place = &places->place[places_leaf(places, sample.location[i])];

		/* Consecutive frames with one name, by recursion or without names, are one. */
		if (last && strcmp(last, place->function) == 0)
			continue;
		fputs(last ? " < " : "", out);
		last = place->function;
		put_name(grid, last, out);
		if (place->object[0] != '[')
			break;
	}
}

static int put_gaps(const struct time_grid *grid, FILE *given)
{
	uint64_t all = grid->to_ns - grid->from_ns;
	struct wrap wrap;
	FILE *out = wrap_begin(&wrap, grid->frames.options.width, given);

	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < grid->gaps; i++) {
		const struct timeline_gap *gap = &grid->gap[i];
		char from[TEXT_UNIT_BYTES], to[TEXT_UNIT_BYTES], length[TEXT_UNIT_BYTES];

		format_seconds(gap->from_ns, all, from);
		format_seconds(gap->to_ns, all, to);
		text_format_ns(gap->to_ns - gap->from_ns, length);
		fprintf(out, "%s%s to %s  %s for %s", i ? "" : "\n", from, to,
			gap->sure ? "nothing ran" : "no sample", length);
		if (gap->queued_ns > (gap->to_ns - gap->from_ns) / 2)
			fputs(", waiting for a CPU", out);
		else
			put_stack(grid, ", blocked in ", gap->blocked, out);
		put_stack(grid, "; before: ", gap->before, out);
		put_stack(grid, "; after: ", gap->after, out);
		fputc('\n', out);
	}
	if (grid->all_gaps > grid->gaps)
		fprintf(out, "and %zu shorter ones\n", grid->all_gaps - grid->gaps);
	return wrap_end(&wrap);
}

int timeline_body(const struct time_grid *grid, FILE *out)
{
	int r = put_strips(grid, out);

	if (r >= 0) {
		fputc('\n', out);
		r = put_phases(grid, out);
	}
	if (r >= 0)
		r = put_gaps(grid, out);
	return r < 0 ? r : 0;
}

static int print_text(const struct time_grid *grid, FILE *out)
{
	const struct frames *frames = &grid->frames;
	int r = header_print(frames->profile, &frames->options, &frames->sums, out);

	if (r >= 0) {
		fputc('\n', out);
		r = timeline_body(grid, out);
	}
	if (r < 0)
		return r;
	fputc('\n', out);
	return report_audit(frames->profile, REPORT_AUDIT_LINE, frames->options.ascii,
		frames->options.width, out);
}

static void put_row(
	struct sheet *sheet, const struct time_grid *grid, const struct timeline_phase *phase)
{
	static const struct place nothing = {.function = "", .object = ""};
	const struct report_options *options = &grid->frames.options;
	const struct place *place = phase->place == TIMELINE_NO_PLACE
		? &nothing
		: &grid->frames.places.place[phase->place];

	if (options->split != REPORT_SPLIT_NONE) {
		struct task task = {.process = "", .thread = ""};

		if (phase->row < grid->rows)
			task = profile_task(grid->frames.profile, grid->row[phase->row].task);
		sheet_cell(sheet, "pid", cell_number(task.pid));
		if (options->split == REPORT_SPLIT_THREAD) {
			sheet_cell(sheet, "tid", cell_number(task.tid));
			sheet_cell(sheet, "thread", cell_text(task.thread));
		} else {
			sheet_cell(sheet, "process", cell_text(task.process));
		}
	}
	sheet_cell(sheet, "from_ns", cell_count(time_grid_ns(grid, phase->from)));
	sheet_cell(sheet, "to_ns", cell_count(time_grid_ns(grid, phase->to)));
	sheet_cell(
		sheet, grid->is_time ? "self_ns" : "self", cell_number(text_whole(phase->weight)));
	sheet_cell(sheet, grid->is_time ? "top_ns" : "top",
		cell_number(text_whole(phase->top_weight)));
	sheet_cell(sheet, "function", cell_text(place->function));
	sheet_cell(sheet, "object", cell_text(place->object));
	sheet_row(sheet);
}

/* Prints a row per interval, with --split also per thread or process. */
static int print_sheet(const struct time_grid *grid, FILE *out)
{
	const struct timeline_phase none = {.row = TIMELINE_NO_ROW, .place = TIMELINE_NO_PLACE};
	bool split = grid->frames.options.split != REPORT_SPLIT_NONE;
	struct sheet sheet;
	int r = 0, error;

	sheet_begin(&sheet, grid->frames.options.format, out);
	put_row(&sheet, grid, &none);
	for (size_t row = 0; row < (split ? grid->rows : 1) && r >= 0; row++) {
		struct timeline_phase *phase;
		size_t phases = 0;

		r = time_grid_phases(grid, split ? (uint32_t)row : (uint32_t)TIMELINE_NO_ROW, 1,
			false, &phase, &phases);
		for (size_t i = 0; i < phases; i++)
			put_row(&sheet, grid, &phase[i]);
		if (r >= 0)
			free(phase);
	}
	error = sheet_end(&sheet);
	return r < 0 ? r : error;
}

int timeline_print(const struct profile *profile, const struct report_options *given, FILE *out,
	char **ret_problem)
{
	struct report_options options = options_take(given);
	bool is_text = options.format == REPORT_TEXT;
	struct time_grid grid;
	size_t columns = SHEET_COLUMNS;
	int r;

	/*
	 * The name and the share before a strip take 31 columns, and one is left free. The strip
	 * has at least 20 columns. If the width is unlimited, it has 68: 100 columns in all.
	 */
	if (is_text && options.width)
		columns = options.width > 52 ? options.width - 32 : 20;
	else if (is_text)
		columns = 68;
	r = time_grid_init(&grid, profile, &options, columns, ret_problem);
	if (r < 0)
		return r;
	r = is_text ? print_text(&grid, out) : print_sheet(&grid, out);
	time_grid_release(&grid);
	return r;
}
