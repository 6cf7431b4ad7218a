/* SPDX-License-Identifier: MIT */
#include "view/report/timeline_report.h"

#include <stdlib.h>

#include "base/text.h"
#include "view/options.h"
#include "view/row_builder.h"

/* Number of intervals in the table for programs. */
enum { SHEET_COLUMNS = 100 };

static void put_row(
	struct row_builder *to, const struct time_grid *grid, const struct timeline_phase *phase)
{
	static const struct place nothing = {.function = "", .object = ""};
	const struct report_options *options = &grid->frames.options;
	const struct place *place = phase->place == TIMELINE_NO_PLACE
		? &nothing
		: &grid->frames.places.place[phase->place];

	*to = (struct row_builder){0};
	if (options->split != REPORT_SPLIT_NONE) {
		struct task task = {.process = "", .thread = ""};

		if (phase->row < grid->rows)
			task = profile_task(grid->frames.profile, grid->row[phase->row].task);
		row_builder_add(to, "pid", cell_number(task.pid));
		if (options->split == REPORT_SPLIT_THREAD) {
			row_builder_add(to, "tid", cell_number(task.tid));
			row_builder_add(to, "thread", cell_text(task.thread));
		} else {
			row_builder_add(to, "process", cell_text(task.process));
		}
	}
	row_builder_add(to, "from_ns", cell_count(time_grid_ns(grid, phase->from)));
	row_builder_add(to, "to_ns", cell_count(time_grid_ns(grid, phase->to)));
	row_builder_add(
		to, grid->is_time ? "self_ns" : "self", cell_number(text_whole(phase->weight)));
	row_builder_add(
		to, grid->is_time ? "top_ns" : "top", cell_number(text_whole(phase->top_weight)));
	row_builder_add(to, "function", cell_text(place->function));
	row_builder_add(to, "object", cell_text(place->object));
}

/* Prints a row per interval, with --split also per thread or process. */
static int print_sheet(const struct time_grid *grid, FILE *out)
{
	const struct timeline_phase none = {.row = TIMELINE_NO_ROW, .place = TIMELINE_NO_PLACE};
	bool split = grid->frames.options.split != REPORT_SPLIT_NONE;
	struct row_builder line;
	struct sheet sheet;
	int r = 0;

	put_row(&line, grid, &none);
	const struct row_builder names = line;
	sheet_begin(&sheet, grid->frames.options.format, names.name, names.n, out);
	for (size_t row = 0; row < (split ? grid->rows : 1) && r >= 0; row++) {
		struct timeline_phase *phase;
		size_t phases = 0;

		r = time_grid_phases(grid, split ? (uint32_t)row : (uint32_t)TIMELINE_NO_ROW, 1,
			false, &phase, &phases);
		for (size_t i = 0; i < phases; i++) {
			put_row(&line, grid, &phase[i]);
			sheet_row(&sheet, line.cell);
		}
		if (r >= 0)
			free(phase);
	}
	sheet_end(&sheet);
	return r;
}

int timeline_print(const struct profile *profile, const struct report_options *given, FILE *out,
	char **ret_problem)
{
	struct report_options options = options_take(given);
	bool is_text = options.format == REPORT_TEXT;
	struct time_grid grid;
	size_t columns = SHEET_COLUMNS;
	int r;

	/* 32 columns beside the strip have names and figures. */
	if (is_text && options.width)
		columns = options.width > 52 ? options.width - 32 : 20;
	else if (is_text)
		columns = 68;
	r = time_grid_init(&grid, profile, &options, columns, ret_problem);
	if (r < 0)
		return r;
	r = is_text ? timeline_text(&grid, out) : print_sheet(&grid, out);
	time_grid_release(&grid);
	return r;
}
