/* SPDX-License-Identifier: MIT */
#include "view/report/tree_report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "view/header.h"
#include "view/layout.h"
#include "view/options.h"
#include "view/report/report.h"
#include "view/share.h"
#include "view/sheet.h"
#include "view/wrap.h"

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

/*
 * The call tree as text. An only callee has the indent of its caller. Several callees are indented,
 * and have lines before them. So the width grows with the forks of a path, not with its depth:
 *
 *   main
 *   run
 *   ├ parse
 *   │ next_word
 *   └ print
 */
struct tree_guides {
	const char *bar, *fork, *last, *again;
};

struct printing {
	const struct profile *profile;
	const struct report_options *options;
	const struct tree *tree;
	const struct tree_choice *choice;
	const struct tree_guides *guides;
	struct text_scale scale;
	bool has_samples, has_recursion;
	struct layout layout;
	/* Nodes with shown siblings among the current node and its callers, outermost first. */
	uint32_t *fork;
	size_t forks, fork_room;
};

static const struct tree_guides utf8 = {
	"\xe2\x94\x82 ", "\xe2\x94\x9c ", "\xe2\x94\x94 ", " \xe2\x86\xbb"};
static const struct tree_guides ascii = {"| ", "+ ", "` ", " @"};

/* Returns @node or the first kept sibling after it; TREE_NONE: none. */
static uint32_t first_kept(const struct tree_choice *choice, const struct tree *tree, uint32_t node)
{
	while (node != TREE_NONE && !choice->kept[node])
		node = tree->node[node].next;
	return node;
}

static bool is_last(const struct printing *p, uint32_t node)
{
	return first_kept(p->choice, p->tree, p->tree->node[node].next) == TREE_NONE;
}

static bool is_fork(const struct printing *p, uint32_t node)
{
	uint32_t parent = p->tree->node[node].parent;
	uint32_t first = first_kept(p->choice, p->tree, p->tree->node[parent].child);

	return first != node || !is_last(p, node);
}

/*
 * Adds a node with siblings to @fork. Nodes are visited depth-first. So nodes in @fork that are as
 * deep as @node, or deeper, are not its callers, and are removed.
 */
static int enter(struct printing *p, uint32_t node)
{
	const struct tree_node *all = p->tree->node;

	if (!is_fork(p, node))
		return 0;
	while (p->forks && all[p->fork[p->forks - 1]].depth >= all[node].depth)
		p->forks--;
	return array_add(&p->fork, &p->fork_room, &p->forks, node);
}

static int put_name(struct printing *p, uint32_t index)
{
	const struct tree_node *node = &p->tree->node[index];
	char *text = NULL, *task = NULL;
	size_t bytes, lead = 0;
	FILE *out = open_memstream(&text, &bytes);
	bool failed;

	if (!out)
		return -ENOMEM;
	for (size_t i = 0; i < p->forks; i++) {
		bool itself = p->fork[i] == index, last = is_last(p, p->fork[i]);
		const char *guide = itself ? (last ? p->guides->last : p->guides->fork)
					   : (last ? "  " : p->guides->bar);

		fputs(guide, out);
		lead += strlen(guide);
	}
	if (node->place == TREE_NONE) {
		task = tree_task_name(p->profile, p->options, node);
		fputs(task ? task : "", out);
	} else {
		fputs(p->tree->places.place[node->place].function, out);
	}
	if (node->nesting > 1) {
		fputs(p->guides->again, out);
		p->has_recursion = true;
	}
	failed = ferror(out) || (node->place == TREE_NONE && !task);
	free(task);
	if (fclose(out) || failed) {
		free(text);
		return -ENOMEM;
	}
	layout_text(&p->layout, p->options->bottom_up ? "function, and who called it" : "function",
		LAYOUT_NAME, 32, 0, "%s", text);
	layout_lead(&p->layout, lead);
	free(text);
	return 0;
}

/* Appends the share and the amount. */
static void put_value(struct printing *p, bool exact, int64_t value, const char *title,
	unsigned share_drop, unsigned amount_drop)
{
	char text[SHARE_BYTES];

	share_format(&p->tree->sums, p->options->ascii, exact, value, text);
	layout_number(&p->layout, title, share_drop, "%s", text);
	text_format_scaled(value, p->scale, text);
	layout_number(&p->layout, "", amount_drop, "%s", text);
}

static int add_row(struct printing *p, uint32_t index)
{
	const struct tree_node *node = &p->tree->node[index];
	const struct place *place =
		node->place == TREE_NONE ? NULL : &p->tree->places.place[node->place];
	int64_t self = tree_self_weight(p->tree, index), total = tree_total_weight(p->tree, index);
	bool exact = place && place->unsampled, bottom_up = p->options->bottom_up;
	int error;

	/* Amounts follow from shares, so a narrow table drops them first. */
	layout_row(&p->layout, share_of(&p->tree->sums, bottom_up ? total : self));
	put_value(p, exact, total, bottom_up && !p->options->root ? "self" : "total", 0, 3);
	if (!bottom_up)
		put_value(p, exact, self, "self", 4, 1);
	if (p->has_samples)
		layout_number(&p->layout, "samples", 2, "%" PRId64,
			tree_total(p->tree, index)[VALUE_SAMPLES]);
	error = enter(p, index);
	if (!error)
		error = put_name(p, index);
	layout_text(&p->layout, "object", LAYOUT_PATH, 16, 5, "%s",
		!place                     ? ""
			: place->object[0] ? text_basename(place->object)
					   : "-");
	return error;
}

static int print_end(const struct printing *p, FILE *given)
{
	const struct tree_choice *choice = p->choice;
	struct wrap wrap;
	FILE *out = wrap_begin(&wrap, p->options->width, given);

	if (!out)
		return -ENOMEM;
	if (!choice->n && !choice->left_out)
		fprintf(out, "\n%s\n", p->tree->sums.filtered ? "no sample matches" : "no samples");
	if (choice->left_out)
		fprintf(out, "... and %zu more call%s, none above %.1f %%\n", choice->left_out,
			choice->left_out == 1 ? "" : "s",
			share_of(&p->tree->sums, choice->most_left_out) * 100);
	if (p->has_recursion)
		fprintf(out, "%s  recursive: its calls of itself, also by way of others, are one\n",
			p->guides->again + 1);
	return wrap_end(&wrap);
}

int tree_text_part(const struct profile *profile, const struct report_options *options,
	const struct tree *tree, const struct tree_choice *choice, FILE *out)
{
	const struct rows *sums = &tree->sums;
	struct printing p = {.profile = profile,
		.options = options,
		.tree = tree,
		.choice = choice,
		.guides = options->ascii ? &ascii : &utf8,
		.scale = text_scale_for(profile_value_type(profile, sums->weight).unit,
			sums->negative ? sums->whole : tree_total_weight(tree, TREE_ROOT)),
		.has_samples = sums->weight == VALUE_CPU_NS && sums->all[VALUE_SAMPLES] > 0};
	int error = 0;

	layout_init(&p.layout, options->ascii, options->color);
	for (uint32_t at = TREE_ROOT;
		!error && (at = tree_walk(tree, TREE_ROOT, at)) != TREE_NONE;) {
		if (choice->kept[at])
			error = add_row(&p, at);
	}
	if (!error && choice->n) {
		fputc('\n', out);
		error = layout_print(&p.layout, options->width, out);
	}
	layout_release(&p.layout);
	free(p.fork);
	return error ? error : print_end(&p, out);
}

static int print_text(const struct profile *profile, const struct report_options *options,
	const struct tree *tree, const struct tree_choice *choice, FILE *out)
{
	int error = header_print(profile, options, &tree->sums, out);

	if (!error)
		error = tree_text_part(profile, options, tree, choice, out);
	if (error)
		return error;
	fputc('\n', out);
	return report_audit(profile, REPORT_AUDIT_LINE, options->ascii, options->width, out);
}

/*
 * Returns the row of node @index. If the node is a process or thread, also sets *@task, which the
 * rows of the nodes below it take their process or thread from. Call this in depth-first order.
 */
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

static void put_row(struct sheet *sheet, const struct profile *profile,
	const struct report_options *options, const struct tree *tree, const struct row *row,
	const struct tree_node *node)
{
	sheet_task(sheet, options, row);
	sheet_cell(sheet, "depth", cell_number(node->depth - 1));
	sheet_values(sheet, profile, row);
	sheet_cell(sheet, "function", cell_text(row->function));
	sheet_cell(sheet, "object", cell_text(row->object));
	sheet_cell(sheet, "nesting", cell_number(node->nesting));
	sheet_others(sheet, profile, tree->sums.weight, row);
	sheet_row(sheet);
}

static int print_sheet(const struct profile *profile, const struct report_options *options,
	const struct tree *tree, const struct tree_choice *choice, FILE *out)
{
	static const struct row names;
	struct row row, task = {.task = ""};
	struct sheet sheet;

	sheet_begin(&sheet, options->format, out);
	put_row(&sheet, profile, options, tree, &names, &tree->node[TREE_ROOT]);
	for (uint32_t at = TREE_ROOT; (at = tree_walk(tree, TREE_ROOT, at)) != TREE_NONE;) {
		if (!choice->kept[at])
			continue;
		row = row_of(profile, options, tree, at, &task);
		put_row(&sheet, profile, options, tree, &row, &tree->node[at]);
	}
	return sheet_end(&sheet);
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
			error = print_text(profile, &options, &tree, &choice, out);
		else
			error = print_sheet(profile, &options, &tree, &choice, out);
		tree_choice_release(&choice);
	}
	tree_release(&tree);
	return error;
}
