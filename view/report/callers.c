/* SPDX-License-Identifier: MIT */
#include "view/report/callers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sum.h"
#include "base/text.h"
#include "view/header.h"
#include "view/layout.h"
#include "view/options.h"
#include "view/progress.h"
#include "view/report/report.h"
#include "view/report/tree_report.h"
#include "view/share.h"
#include "view/sheet.h"

static int row_of(const struct places *places, struct callers_side *side, uint32_t place)
{
	if (side->row_of[place])
		return (int)side->row_of[place] - 1;
	if (array_grow(&side->row, &side->room, side->n + 1) < 0 ||
		array_grow(&side->seen, &side->seen_room, side->n + 1) < 0)
		return -ENOMEM;
	side->seen[side->n] = 0;
	side->row[side->n] = (struct row){.function = CALLERS_NOBODY, .object = "", .task = ""};
	if (place < places->n) {
		side->row[side->n].function = places->place[place].function;
		side->row[side->n].object = places->place[place].object;
	}
	side->row_of[place] = (uint32_t)++side->n;
	return (int)side->n - 1;
}

static int count(const struct frames *frames, struct callers_side *side, uint32_t place,
	size_t sample, bool self)
{
	const int64_t *value = profile_sample(frames->profile, sample).value;
	size_t values = profile_value_types(frames->profile);
	int index = row_of(&frames->places, side, place);

	if (index < 0)
		return index;
	if (self)
		sum_add_all(side->row[index].self, value, values);
	if (side->seen[index] == sample + 1)
		return 0;
	side->seen[index] = sample + 1;
	sum_add_all(side->row[index].total, value, values);
	return 0;
}

/*
 * Does frame @at call the leaf's function, directly or with only recursive calls of the leaf's
 * function between them?
 */
static bool is_leaf_callee(const struct frame *frame, size_t at)
{
	for (size_t i = 1; i < at; i++) {
		if (frame[i].place != frame[0].place)
			return false;
	}
	return at > 0;
}

/* Adds the sample whose frames were taken last. */
static int add_sample(struct callers *callers, size_t sample)
{
	const struct frames *frames = &callers->frames;
	const struct frame *frame = frames->frame;
	const int64_t *value = profile_sample(frames->profile, sample).value;
	size_t values = profile_value_types(frames->profile);
	bool first = true;
	int error = 0;

	for (size_t i = 0, end; i < frames->n && !error; i = end) {
		uint32_t caller;

		end = i + 1;
		if (!callers->is_function[frame[i].place])
			continue;
		while (end < frames->n && callers->is_function[frame[end].place])
			end++;
		caller = end < frames->n ? frame[end].place : (uint32_t)frames->places.n;
		error = count(frames, &callers->caller, caller, sample, i == 0);
		if (!error && i)
			error = count(frames, &callers->callee, frame[i - 1].place, sample,
				first && is_leaf_callee(frame, i));
		if (first)
			sum_add_all(callers->function.total, value, values);
		if (i == 0)
			sum_add_all(callers->function.self, value, values);
		first = false;
	}
	return error;
}

/*
 * Marks the places that belong to the function. If they are in several objects, the function's row
 * has no object.
 */
static void mark(struct callers *callers, const char *name)
{
	struct row *function = &callers->function;

	*function = (struct row){.task = ""};
	for (size_t i = 0; i < callers->frames.places.n; i++) {
		const struct place *place = &callers->frames.places.place[i];

		if (strcmp(place->function, name) != 0)
			continue;
		callers->is_function[i] = true;
		function->unsampled = place->unsampled;
		function->object = function->function && strcmp(function->object, place->object)
			? ""
			: place->object;
		function->function = place->function;
	}
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct row *x = a, *y = b;
	size_t weight = *(const size_t *)context;
	int64_t total[2] = {rows_amount(x->total[weight]), rows_amount(y->total[weight])};
	int64_t self[2] = {rows_amount(x->self[weight]), rows_amount(y->self[weight])};
	int by_name;

	if (total[0] != total[1])
		return total[0] > total[1] ? -1 : 1;
	if (self[0] != self[1])
		return self[0] > self[1] ? -1 : 1;
	by_name = strcmp(x->function, y->function);
	return by_name ? by_name : strcmp(x->object, y->object);
}

static void settle(
	struct callers *callers, struct callers_side *side, const struct report_options *options)
{
	size_t weight = callers->frames.sums.weight, kept = 0;
	/* In a difference of profiles, changes may cancel out: a minimum share means nothing. */
	double least = callers->frames.sums.negative
		? 0
		: (double)callers->frames.sums.whole * options->min_percent / 100;

	if (side->n)
		qsort_r(side->row, side->n, sizeof(*side->row), compare_rows, &weight);
	while (kept < side->n && (!options->limit || kept < options->limit) &&
		(double)rows_amount(side->row[kept].total[weight]) >= least)
		kept++;
	side->left_out = side->n - kept;
	side->n = kept;
}

static int fill(struct callers *callers, const struct profile *profile,
	const struct report_options *options, const char *name, char **ret_problem)
{
	struct frames *frames = &callers->frames;
	int error = frames_init(frames, profile, options, ret_problem);
	size_t n = frames->places.n + 1, samples = profile_samples(profile);

	if (error < 0)
		return error;
	callers->is_function = calloc(n, sizeof(*callers->is_function));
	callers->caller.row_of = calloc(n, sizeof(*callers->caller.row_of));
	callers->callee.row_of = calloc(n, sizeof(*callers->callee.row_of));
	if (!callers->is_function || !callers->caller.row_of || !callers->callee.row_of)
		return -ENOMEM;
	mark(callers, name);
	for (size_t i = 0; i < samples && error >= 0; i++) {
		progress_show(options, "callers", i, samples);
		error = frames_take_stack(frames, i);
		if (error > 0)
			error = add_sample(callers, i);
	}
	settle(callers, &callers->caller, options);
	settle(callers, &callers->callee, options);
	return error < 0 ? error : 0;
}

int callers_init(struct callers *callers, const struct profile *profile,
	const struct report_options *options, char **ret_problem)
{
	char *name = NULL;
	int error = callers_find(profile, options, &name, ret_problem);

	*callers = (struct callers){0};
	if (!error)
		error = fill(callers, profile, options, name, ret_problem);
	free(name);
	if (error < 0)
		callers_release(callers);
	return error;
}

static void side_release(struct callers_side *side)
{
	free(side->row);
	free(side->row_of);
	free(side->seen);
}

void callers_release(struct callers *callers)
{
	side_release(&callers->caller);
	side_release(&callers->callee);
	free(callers->is_function);
	frames_release(&callers->frames);
	*callers = (struct callers){0};
}

struct printing {
	const struct report_options *options;
	const struct callers *callers;
	struct text_scale scale;
	struct layout layout;
};

/* Appends the share and the amount. */
static void put_value(struct printing *p, int64_t value, const char *title, unsigned share_drop,
	unsigned amount_drop)
{
	const struct callers *callers = p->callers;
	char text[SHARE_BYTES];

	share_format(
		&callers->frames.sums, p->options->ascii, callers->function.unsampled, value, text);
	layout_number(&p->layout, title, share_drop, "%s", text);
	text_format_scaled(value, p->scale, text);
	layout_number(&p->layout, "", amount_drop, "%s", text);
}

static void add_row(struct printing *p, const char *relation, const struct row *row)
{
	size_t weight = p->callers->frames.sums.weight;
	int64_t whole = p->callers->function.total[weight];

	layout_row(&p->layout, share_of(&p->callers->frames.sums, row->self[weight]));
	layout_text(&p->layout, "", LAYOUT_WHOLE, 0, 0, "%s", relation);
	put_value(p, row->total[weight], "total", 0, 2);
	put_value(p, row->self[weight], "self", 3, 1);
	layout_number(&p->layout, "of its total", 4, "%.1f %%",
		whole ? (double)row->total[weight] * 100 / (double)whole : 0.0);
	layout_text(&p->layout, "function", LAYOUT_NAME, 32, 0, "%s%s",
		row == &p->callers->function ? "" : "    ", row->function);
	layout_text(&p->layout, "object", LAYOUT_PATH, 16, 5, "%s",
		row->object[0] ? text_basename(row->object) : "-");
}

static void print_left_out(const struct callers_side *side, const char *what, FILE *out)
{
	if (side->left_out)
		fprintf(out, "... and %zu more %s%s\n", side->left_out, what,
			side->left_out == 1 ? "" : "s");
}

/* Prints the paths that lead to the function (@outwards), or those that begin in it. */
static int print_paths(const struct profile *profile, const struct report_options *given,
	const struct callers *callers, bool outwards, FILE *out)
{
	struct report_options options = *given;
	struct tree_choice choice;
	char *problem = NULL;
	struct tree tree;
	int error;

	options.root = callers->function.function;
	options.bottom_up = outwards;
	error = tree_init(&tree, profile, &options, TREE_FOLDED, &problem);
	free(problem);
	if (error < 0)
		return error;
	error = tree_choice_init(&choice, &tree, &options);
	if (!error) {
		error = tree_text_part(profile, &options, &tree, &choice, out);
		tree_choice_release(&choice);
	}
	tree_release(&tree);
	return error;
}

static int print_text(const struct profile *profile, const struct report_options *options,
	const struct callers *callers, FILE *out)
{
	size_t weight = callers->frames.sums.weight;
	const struct callers_side *caller = &callers->caller, *callee = &callers->callee;
	struct printing p = {.options = options,
		.callers = callers,
		.scale = text_scale_for(
			profile_value_type(profile, weight).unit, callers->function.total[weight])};
	int error;

	layout_init(&p.layout, options->ascii, options->color);
	for (size_t i = 0; i < caller->n; i++)
		add_row(&p, "caller", &caller->row[i]);
	add_row(&p, "function", &callers->function);
	for (size_t i = 0; i < callee->n; i++)
		add_row(&p, "callee", &callee->row[i]);
	error = header_print(profile, options, &callers->frames.sums, out);
	if (!error) {
		fputc('\n', out);
		error = layout_print(&p.layout, options->width, out);
	}
	layout_release(&p.layout);
	if (error)
		return error;
	print_left_out(caller, "caller", out);
	print_left_out(callee, "callee", out);
	if (caller->n)
		error = print_paths(profile, options, callers, true, out);
	if (!error && callee->n)
		error = print_paths(profile, options, callers, false, out);
	if (error)
		return error;
	fputc('\n', out);
	return report_audit(profile, REPORT_AUDIT_LINE, options->ascii, options->width, out);
}

static void put_row(struct sheet *sheet, const struct profile *profile, size_t weight,
	const char *relation, const struct row *row)
{
	sheet_cell(sheet, "relation", cell_text(relation));
	sheet_values(sheet, profile, row);
	sheet_cell(sheet, "function", cell_text(row->function));
	sheet_cell(sheet, "object", cell_text(row->object));
	sheet_others(sheet, profile, weight, row);
	sheet_row(sheet);
}

static int print_sheet(const struct profile *profile, const struct report_options *options,
	const struct callers *callers, FILE *out)
{
	static const struct row names;
	const struct callers_side *caller = &callers->caller, *callee = &callers->callee;
	size_t weight = callers->frames.sums.weight;
	struct sheet sheet;

	sheet_begin(&sheet, options->format, out);
	put_row(&sheet, profile, weight, "", &names);
	for (size_t i = 0; i < caller->n; i++)
		put_row(&sheet, profile, weight, "caller", &caller->row[i]);
	put_row(&sheet, profile, weight, "function", &callers->function);
	for (size_t i = 0; i < callee->n; i++)
		put_row(&sheet, profile, weight, "callee", &callee->row[i]);
	return sheet_end(&sheet);
}

int callers_print(const struct profile *profile, const struct report_options *given, FILE *out,
	char **ret_problem)
{
	struct report_options options = options_take(given);
	struct callers callers;
	int error;

	if (!options.function)
		return -EINVAL;
	error = callers_init(&callers, profile, &options, ret_problem);
	if (error < 0)
		return error;
	if (options.format == REPORT_TEXT)
		error = print_text(profile, &options, &callers, out);
	else
		error = print_sheet(profile, &options, &callers, out);
	callers_release(&callers);
	return error;
}
