/* SPDX-License-Identifier: MIT */
#include "view/report/tree_report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "view/options.h"
#include "view/row_builder.h"

/* Hottest first. Of equally hot nodes, callers come first: their indexes are lower. */
static int compare_totals(const void *a, const void *b, void *context)
{
	const struct tree *tree = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int64_t m = rows_amount(tree_total_weight(tree, x));
	int64_t n = rows_amount(tree_total_weight(tree, y));

	if (m != n)
		return m > n ? -1 : 1;
	return (x > y) - (x < y);
}

int tree_choice_init(
	struct tree_choice *choice, const struct tree *tree, const struct report_options *options)
{
	/* In a difference of profiles, changes may cancel out: a minimum share means nothing. */
	double least =
		tree->sums.negative ? 0 : (double)tree->sums.whole * options->min_percent / 100;
	uint32_t *order = calloc(tree->n, sizeof(*order));

	*choice = (struct tree_choice){.kept = calloc(tree->n, sizeof(*choice->kept))};
	if (!order || !choice->kept) {
		free(order);
		tree_choice_release(choice);
		return -ENOMEM;
	}
	for (size_t i = 0; i < tree->n; i++)
		order[i] = (uint32_t)i;
	/* Nodes of a difference stay in the tree's order: callers first. */
	if (!tree->sums.negative)
		qsort_r(order, tree->n, sizeof(*order), compare_totals, (void *)tree);
	for (size_t i = 0; i < tree->n; i++) {
		const struct tree_node *node = &tree->node[order[i]];
		int64_t total = rows_amount(tree_total_weight(tree, order[i]));
		bool has_caller = node->parent == TREE_ROOT ||
			(node->parent != TREE_NONE && choice->kept[node->parent]);

		if (order[i] == TREE_ROOT)
			continue;
		if (has_caller && (double)total >= least &&
			(!options->limit || choice->n < options->limit)) {
			choice->kept[order[i]] = true;
			choice->n++;
		} else if (!choice->left_out++ || total > choice->most_left_out) {
			choice->most_left_out = total;
		}
	}
	free(order);
	return 0;
}

void tree_choice_release(struct tree_choice *choice)
{
	free(choice->kept);
	*choice = (struct tree_choice){0};
}

/* Call in depth-first order: a process's or thread's node sets *@task for the nodes below it. */
static struct row row_of(const struct profile *profile, const struct report_options *options,
	const struct tree *tree, uint32_t index, struct row *task)
{
	const struct tree_node *node = &tree->node[index];
	bool is_task = node->place == TREE_NONE;
	struct row row = {.object = ""};

	if (is_task) {
		struct task of = profile_task(profile, node->task);
		bool process = options->split == REPORT_SPLIT_PROCESS;

		task->id = process ? of.pid : of.tid;
		task->task = process ? of.process : of.thread;
		row.function = process ? "[process]" : "[thread]";
	} else {
		row.function = tree->places.place[node->place].function;
		row.object = tree->places.place[node->place].object;
	}
	row.id = task->id;
	row.task = task->task;
	memcpy(row.self, tree_self(tree, index), tree->values * sizeof(*row.self));
	memcpy(row.total, tree_total(tree, index), tree->values * sizeof(*row.total));
	return row;
}

static void add_cells(struct row_builder *to, const struct profile *profile,
	const struct report_options *options, const struct row *row, const struct tree_node *node,
	const struct row_builder_other *other)
{
	*to = (struct row_builder){0};
	row_builder_task(to, options, row);
	row_builder_add(to, "depth", cell_number(node->depth - 1));
	row_builder_values(to, profile, row);
	row_builder_add(to, "function", cell_text(row->function));
	row_builder_add(to, "object", cell_text(row->object));
	row_builder_add(to, "nesting", cell_number(node->nesting));
	row_builder_others(to, other, row);
}

static int print_sheet(const struct profile *profile, const struct report_options *options,
	const struct tree *tree, const struct tree_choice *choice, FILE *out)
{
	static const struct row no_row = {.function = "", .object = "", .task = ""};
	struct row row, task = no_row;
	struct row_builder cells;
	struct row_builder_other other;
	struct sheet sheet;
	int error = row_builder_other_init(&other, profile, &tree->sums);

	if (error < 0)
		return error;
	add_cells(&cells, profile, options, &no_row, &tree->node[TREE_ROOT], &other);
	sheet_begin(&sheet, options->format, cells.name, cells.n, out);
	for (uint32_t at = TREE_ROOT; (at = tree_walk(tree, TREE_ROOT, at)) != TREE_NONE;) {
		struct row_builder names = cells;

		if (!choice->kept[at])
			continue;
		row = row_of(profile, options, tree, at, &task);
		add_cells(&names, profile, options, &row, &tree->node[at], &other);
		sheet_row(&sheet, names.cell);
	}
	sheet_end(&sheet);
	row_builder_other_release(&other);
	return 0;
}

int tree_report_print(const struct profile *profile, const struct report_options *given, FILE *out,
	char **ret_problem)
{
	struct report_options options = options_take(given);
	struct tree_choice choice;
	struct tree tree;
	int error = tree_init(&tree, profile, &options, TREE_FOLDED, ret_problem);

	if (error < 0)
		return error;
	error = tree_choice_init(&choice, &tree, &options);
	if (!error) {
		if (options.format == REPORT_TEXT)
			error = tree_text(profile, &options, &tree, &choice, out);
		else
			error = print_sheet(profile, &options, &tree, &choice, out);
		tree_choice_release(&choice);
	}
	tree_release(&tree);
	return error;
}
