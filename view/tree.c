/* SPDX-License-Identifier: MIT */
#include "view/tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sum.h"
#include "view/filter.h"
#include "view/pairs.h"
#include "view/progress.h"

struct growing {
	const struct profile *profile;
	const struct report_options *options;
	struct tree *tree;
	enum tree_folding folding;
	struct filter filter;
	struct table table; /* finds nodes by parent and place */
	uint32_t *task;     /* what tree_first_tasks() sets; NULL: not split */
	size_t *seen;       /* by node: index + 1 of the last sample counted in its total */
	size_t seen_room;
	uint32_t *path; /* nodes of the current stack, from the root node on */
	size_t path_n, path_room;
	size_t base;     /* number of leading nodes of @path that are no functions */
	uint32_t *at;    /* by place: index in @path + 1; 0: not in it */
	uint32_t *count; /* by place: how often the current stack has it */
	bool is_inside;  /* the stack has reached options->root, or options->root is NULL */
};

static bool node_equal(const void *items, uint32_t index, const void *key)
{
	const struct tree_node *a = (const struct tree_node *)items + index, *b = key;

	return a->parent == b->parent && a->place == b->place && a->task == b->task;
}

static int append_node(struct growing *g, const struct tree_node *key, uint64_t hash)
{
	struct tree *tree = g->tree;
	int error;

	if (tree->n >= INT32_MAX)
		return -EFBIG;
	if (array_grow(&tree->node, &tree->node_room, tree->n + 1) < 0 ||
		array_grow(&tree->value, &tree->value_room, (tree->n + 1) * 2 * tree->values) < 0 ||
		array_grow(&g->seen, &g->seen_room, tree->n + 1) < 0)
		return -ENOMEM;
	error = table_add(&g->table, hash, (uint32_t)tree->n);
	if (error < 0)
		return error;
	tree->node[tree->n] = *key;
	memset(tree->value + tree->n * 2 * tree->values, 0,
		2 * tree->values * sizeof(*tree->value));
	g->seen[tree->n] = 0;
	return (int)tree->n++;
}

static int child_of(struct growing *g, uint32_t parent, uint32_t place, uint32_t task)
{
	struct tree_node key = {.place = place,
		.task = task,
		.parent = parent,
		.child = TREE_NONE,
		.next = TREE_NONE,
		.nesting = 1};
	uint64_t hash = table_mix(table_mix(parent, place), task);
	int index = table_find(&g->table, hash, node_equal, g->tree->node, &key);

	if (index >= 0)
		return index;
	key.depth = parent == TREE_NONE ? 0 : g->tree->node[parent].depth + 1;
	return append_node(g, &key, hash);
}

static void count_total(struct growing *g, uint32_t node, const struct sample *sample, size_t stamp)
{
	struct tree *tree = g->tree;

	if (g->seen[node] == stamp)
		return;
	g->seen[node] = stamp;
	sum_add_all(tree->value + (node * 2 + 1) * tree->values, sample->value, tree->values);
}

static int push(struct growing *g, uint32_t node)
{
	return array_add(&g->path, &g->path_room, &g->path_n, node);
}

static void pop_to(struct growing *g, size_t n)
{
	while (g->path_n > n) {
		uint32_t place = g->tree->node[g->path[--g->path_n]].place;

		if (place != TREE_NONE)
			g->at[place] = 0;
	}
}

static void note_nesting(struct growing *g, uint32_t node, uint32_t place)
{
	if (g->tree->node[node].nesting < g->count[place])
		g->tree->node[node].nesting = g->count[place];
}

static int step(struct growing *g, uint32_t place, const struct sample *sample, size_t stamp)
{
	int node;

	if (g->folding != TREE_WHOLE && g->at[place]) {
		note_nesting(g, g->path[g->at[place] - 1], place);
		pop_to(g, g->at[place]);
		return 0;
	}
	node = child_of(g, g->path[g->path_n - 1], place, TREE_NONE);
	if (node >= 0 && g->folding == TREE_FOLDED)
		count_total(g, (uint32_t)node, sample, stamp);
	if (node >= 0 && push(g, (uint32_t)node) < 0)
		return -ENOMEM;
	if (node < 0)
		return node;
	note_nesting(g, (uint32_t)node, place);
	g->at[place] = (uint32_t)g->path_n;
	return 0;
}

/*
 * Counts an occurrence of a function for the depth of recursion. @place: the function; the @before
 * places in front of it are the functions inlined into it at the same location. If one of these is
 * the same function (a part split off by the compiler), the occurrence is not counted again.
 */
static void count_call(struct growing *g, const uint32_t *place, size_t before)
{
	for (size_t i = 1; i <= before; i++) {
		if (*(place - i) == *place)
			return;
	}
	g->count[*place]++;
}

/* Skips the places of a stack before the function options->root. */
static int step_inside(struct growing *g, uint32_t place, const struct sample *sample, size_t stamp)
{
	const char *root = g->options->root;

	g->is_inside |= root && !strcmp(g->tree->places.place[place].function, root);
	return g->is_inside ? step(g, place, sample, stamp) : 0;
}

static int step_all(struct growing *g, const struct sample *sample, size_t stamp)
{
	const struct places *places = &g->tree->places;
	bool bottom_up = g->tree->bottom_up;
	size_t frames = 0;
	int error = 0;

	for (size_t i = 0; i < sample->n && !error; i++) {
		uint32_t location = sample->location[bottom_up ? i : sample->n - 1 - i];
		size_t n;
		const uint32_t *of = places_of(places, location, &n);

		frames += n;
		for (size_t j = 0; j < n; j++)
			count_call(g, &of[j], j);
		for (size_t j = 0; j < n && !error; j++)
			error = step_inside(g, of[bottom_up ? j : n - 1 - j], sample, stamp);
	}
	if (frames > g->tree->deepest)
		g->tree->deepest = frames;
	return error;
}

static void forget_counts(struct growing *g, const struct sample *sample)
{
	const struct places *places = &g->tree->places;

	for (size_t i = 0; i < sample->n; i++) {
		size_t n;
		const uint32_t *of = places_of(places, sample->location[i], &n);

		for (size_t j = 0; j < n; j++)
			g->count[of[j]] = 0;
	}
}

static int add_sample(struct growing *g, const struct sample *sample, size_t stamp)
{
	struct tree *tree = g->tree;
	uint32_t ends_at;
	int error;

	g->path_n = 0;
	error = push(g, TREE_ROOT);
	if (!error && g->task) {
		int root = child_of(g, TREE_ROOT, TREE_NONE, g->task[sample->task]);

		error = root < 0 ? root : push(g, (uint32_t)root);
	}
	g->base = g->path_n;
	g->is_inside = !g->options->root;
	if (!error)
		error = step_all(g, sample, stamp);
	if (error)
		return error;
	if (!g->is_inside) {
		forget_counts(g, sample);
		return 0;
	}
	for (size_t i = 0; i < (g->folding == TREE_FOLDED ? g->base : g->path_n); i++)
		count_total(g, g->path[i], sample, stamp);
	/*
	 * The sample counts in the self of its leaf's node. Bottom-up, this is the first function
	 * of the path, otherwise the last. A sample without a stack counts in the self of its
	 * process or thread, or of the root.
	 */
	ends_at =
		tree->bottom_up && g->path_n > g->base ? g->path[g->base] : g->path[g->path_n - 1];
	sum_add_all(tree->value + ends_at * 2 * tree->values, sample->value, tree->values);
	pop_to(g, 0);
	forget_counts(g, sample);
	return 0;
}

int tree_first_tasks(const struct profile *profile, enum report_split split, uint32_t **ret_first)
{
	size_t tasks = profile_tasks(profile);
	uint32_t *first = calloc(tasks + 1, sizeof(*first)); /* by task */
	uint32_t *of = calloc(tasks + 1, sizeof(*of));       /* by pair */
	struct pairs pairs = {0};
	int r = first && of ? 0 : -ENOMEM;

	for (size_t i = 0; i < tasks && r >= 0; i++) {
		struct task task = profile_task(profile, i);
		size_t before = pairs.n;

		/*
		 * A process or thread is identified by its name and its number. Equal names are
		 * equal pointers. The number alone is not enough: a pid is the same after an exec,
		 * or on another machine, and in profiles of other programs threads have no number.
		 */
		if (split == REPORT_SPLIT_THREAD)
			r = pairs_add(&pairs, (uintptr_t)task.thread, task.tid);
		else
			r = pairs_add(&pairs, (uintptr_t)task.process,
				split == REPORT_SPLIT_PROCESS ? task.pid : 0);
		if (pairs.n > before)
			of[r] = (uint32_t)i;
		if (r >= 0)
			first[i] = of[r];
	}
	pairs_release(&pairs);
	free(of);
	if (r < 0)
		free(first);
	else
		*ret_first = first;
	return r < 0 ? r : 0;
}

static int grow(struct growing *g)
{
	struct tree *tree = g->tree;
	size_t n = profile_samples(g->profile);
	int error = 0;

	rows_sum_up(g->profile, &tree->places, &g->filter, &tree->sums);
	g->at = calloc(tree->places.n + 1, sizeof(*g->at));
	g->count = calloc(tree->places.n + 1, sizeof(*g->count));
	if (!g->at || !g->count)
		return -ENOMEM;
	if (g->options->split != REPORT_SPLIT_NONE)
		error = tree_first_tasks(g->profile, g->options->split, &g->task);
	if (error < 0)
		return error;
	error = child_of(g, TREE_NONE, TREE_NONE, TREE_NONE);
	for (size_t i = 0; i < n && error >= 0; i++) {
		struct sample sample = profile_sample(g->profile, i);

		progress_show(g->options, "call tree", i, n);
		if (filter_takes(&g->filter, g->profile, &tree->places, &sample))
			error = add_sample(g, &sample, i + 1);
	}
	return error < 0 ? error : 0;
}

static int compare_siblings(const void *a, const void *b, void *context)
{
	const struct tree *tree = context;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const struct tree_node *m = &tree->node[x], *n = &tree->node[y];
	const int64_t total[2] = {
		rows_amount(tree_total_weight(tree, x)), rows_amount(tree_total_weight(tree, y))};
	const int64_t self[2] = {
		rows_amount(tree_self_weight(tree, x)), rows_amount(tree_self_weight(tree, y))};
	int by_name = 0;

	if (m->parent != n->parent)
		return m->parent < n->parent ? -1 : 1;
	if (total[0] != total[1])
		return total[0] > total[1] ? -1 : 1;
	if (self[0] != self[1])
		return self[0] > self[1] ? -1 : 1;
	if (m->place != TREE_NONE && n->place != TREE_NONE) {
		const struct place *p = &tree->places.place[m->place];
		const struct place *q = &tree->places.place[n->place];

		by_name = strcmp(p->function, q->function);
		if (!by_name)
			by_name = strcmp(p->object, q->object);
	}
	return by_name ? by_name : (x > y) - (x < y);
}

static int link_siblings(struct tree *tree)
{
	uint32_t *order = calloc(tree->n + 1, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < tree->n; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, tree->n, sizeof(*order), compare_siblings, tree);
	for (size_t i = tree->n; i-- > 0;) {
		struct tree_node *node = &tree->node[order[i]];

		if (node->parent == TREE_NONE)
			continue;
		node->next = tree->node[node->parent].child;
		tree->node[node->parent].child = order[i];
	}
	free(order);
	return 0;
}

int tree_init(struct tree *tree, const struct profile *profile,
	const struct report_options *options, enum tree_folding folding, char **ret_problem)
{
	struct growing g = {
		.profile = profile, .options = options, .tree = tree, .folding = folding};
	int error;

	*tree = (struct tree){
		.values = profile_value_types(profile), .bottom_up = options->bottom_up};
	error = places_init(&tree->places, profile, options, ROWS_BY_FUNCTION);
	if (!error)
		error = filter_init(&g.filter, profile, &tree->places, options, ret_problem);
	if (!error)
		error = grow(&g);
	if (!error)
		error = link_siblings(tree);
	filter_release(&g.filter);
	table_release(&g.table);
	free(g.task);
	free(g.seen);
	free(g.path);
	free(g.at);
	free(g.count);
	if (error < 0)
		tree_release(tree);
	return error;
}

void tree_release(struct tree *tree)
{
	places_release(&tree->places);
	free(tree->node);
	free(tree->value);
	*tree = (struct tree){0};
}

uint32_t tree_walk(const struct tree *tree, uint32_t top, uint32_t node)
{
	if (tree->node[node].child != TREE_NONE)
		return tree->node[node].child;
	while (node != top && tree->node[node].next == TREE_NONE)
		node = tree->node[node].parent;
	return node == top ? TREE_NONE : tree->node[node].next;
}

char *tree_task_name(const struct profile *profile, const struct report_options *options,
	const struct tree_node *node)
{
	struct task task = profile_task(profile, node->task);
	bool process = options->split == REPORT_SPLIT_PROCESS;
	char *name;

	if (options->split == REPORT_SPLIT_NAME)
		return strdup(task.process[0] ? task.process : "[process]");
	/* The pid of a process that ended early may be unknown (0). */
	if (process && !task.pid && task.process[0])
		return strdup(task.process);
	if (asprintf(&name, "%s %u", process ? task.process : task.thread,
		    process ? task.pid : task.tid) < 0)
		return NULL;
	return name;
}
