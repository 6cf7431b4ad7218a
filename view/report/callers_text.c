/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "view/header.h"
#include "view/layout.h"
#include "view/report/callers.h"
#include "view/report/report.h"
#include "view/report/tree_report.h"
#include "view/share.h"

struct printing {
	const struct report_options *options;
	const struct callers *callers;
	struct text_scale scale;
	struct layout layout;
};

static const struct layout_column columns[] = {
	{"", LAYOUT_LEFT, LAYOUT_WHOLE, 0, 0},
	{"total", LAYOUT_RIGHT, LAYOUT_WHOLE, 0, 0},
	{"", LAYOUT_RIGHT, LAYOUT_WHOLE, 0, 2},
	{"self", LAYOUT_RIGHT, LAYOUT_WHOLE, 0, 3},
	{"", LAYOUT_RIGHT, LAYOUT_WHOLE, 0, 1},
	{"of its total", LAYOUT_RIGHT, LAYOUT_WHOLE, 0, 4},
	{"function", LAYOUT_LEFT, LAYOUT_NAME, 32, 0},
	{"object", LAYOUT_LEFT, LAYOUT_PATH, 16, 5},
};

static void set_value(struct printing *p, size_t column, bool exact, int64_t value)
{
	char share[SHARE_BYTES], amount[TEXT_UNIT_BYTES];

	share_format(&p->callers->sums, p->options->ascii, exact, value, share);
	layout_set(&p->layout, column, share);
	text_format_scaled(value, p->scale, amount);
	layout_set(&p->layout, column + 1, amount);
}

static int add_row(struct printing *p, const char *relation, const struct row *row)
{
	size_t weight = p->callers->sums.weight;
	int64_t whole = p->callers->function.total[weight];
	bool exact = p->callers->function.unsampled;
	char *name, share[SHARE_BYTES];

	layout_row(&p->layout, share_of(&p->callers->sums, row->self[weight]));
	layout_set(&p->layout, 0, relation);
	set_value(p, 1, exact, row->total[weight]);
	set_value(p, 3, exact, row->self[weight]);
	(void)snprintf(share, sizeof(share), "%.1f %%",
		whole ? (double)row->total[weight] * 100 / (double)whole : 0.0);
	layout_set(&p->layout, 5, share);
	if (asprintf(&name, "%s%s", row == &p->callers->function ? "" : "    ", row->function) < 0)
		return -ENOMEM;
	layout_set(&p->layout, 6, name);
	free(name);
	layout_set(&p->layout, 7, row->object[0] ? text_basename(row->object) : "-");
	return 0;
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

int callers_text(const struct profile *profile, const struct report_options *options,
	const struct callers *callers, FILE *out)
{
	size_t weight = callers->sums.weight;
	const struct callers_side *caller = &callers->caller, *callee = &callers->callee;
	struct printing p = {.options = options,
		.callers = callers,
		.scale = text_scale_for(
			profile_value_type(profile, weight).unit, callers->function.total[weight])};
	int error = 0;

	layout_init(&p.layout, columns, sizeof(columns) / sizeof(*columns), options->ascii,
		options->color);
	for (size_t i = 0; i < caller->n && !error; i++)
		error = add_row(&p, "caller", &caller->row[i]);
	if (!error)
		error = add_row(&p, "function", &callers->function);
	for (size_t i = 0; i < callee->n && !error; i++)
		error = add_row(&p, "callee", &callee->row[i]);
	if (!error)
		error = header_print(profile, options, &callers->sums, out);
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
	return report_audit_line(profile, options->ascii, options->width, out);
}
