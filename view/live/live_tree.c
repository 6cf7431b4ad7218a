/* SPDX-License-Identifier: MIT */
/*
 * The call tree of a growing profile. Nodes are kept across updates, with the node at which each
 * stack ends: an update costs one addition per stack and one per node.
 *
 * Recursion has no nodes of its own: where a function occurs again in a stack, the path goes back
 * to the function's first node. So no function is below itself, and the self weight of a node and
 * the totals of its children add up to the node's total.
 *
 * The user folds and unfolds nodes. A search also finds nodes below folded ones.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/order.h"
#include "view/live/live_internal.h"

/* Initially, the hottest path is unfolded while a child has this share of its parent. */
#define HOT_SHARE 0.25

enum { SEARCHED_MOST = 200000 };

struct tree_item {
	uint64_t path; /* hash of the path from the root: survives a rebuild of the nodes */
	uint32_t place, parent;
	uint32_t first, next; /* the newest child; the next older sibling; LIVE_NONE: none */
	uint8_t fold;         /* LIVE_OPEN or LIVE_CLOSED */
	double self, total;
};

struct live_tree {
	struct tree_item *node; /* node 0 is the root; parents precede children */
	size_t nodes, node_room;
	struct table table; /* index of nodes, by parent and place */
	uint32_t *end; /* by stack: 1 + index of the node at which the stack ends; 0: unknown yet */
	size_t ends, end_room;
	uint64_t renamed; /* places.renamed when the nodes were built */
	bool hides_calls; /* system-call frames have no nodes */
	/*
	 * @path: indexes of the current stack's nodes; @at, by function: 1 + the position in @path
	 * of the function's node
	 */
	uint32_t *path, *at;
	size_t path_room, at_room;
	uint32_t *child; /* result of children_of() */
	size_t child_room;
	uint64_t *open; /* the paths that were unfolded when nodes were last rebuilt, sorted */
	size_t opens;
};

void live_tree_free(struct live_tree *tree)
{
	if (!tree)
		return;
	table_release(&tree->table);
	free(tree->node);
	free(tree->end);
	free(tree->path);
	free(tree->at);
	free(tree->child);
	free(tree->open);
	free(tree);
}

static bool same_node(const void *items, uint32_t index, const void *key)
{
	const struct tree_item *a = (const struct tree_item *)items + index, *b = key;

	return a->parent == b->parent && a->place == b->place;
}

static bool was_open(const struct live_tree *tree, uint64_t path)
{
	return tree->opens &&
		bsearch(&path, tree->open, tree->opens, sizeof(*tree->open), order_u64);
}

static int child_of(struct live_tree *tree, uint32_t parent, uint32_t place)
{
	struct tree_item key = {.place = place,
		.parent = parent,
		.first = LIVE_NONE,
		.next = LIVE_NONE,
		.fold = LIVE_CLOSED};
	uint64_t hash = table_mix(table_mix(parent, place), 7);
	int index = table_find(&tree->table, hash, same_node, tree->node, &key);

	if (index >= 0)
		return index;
	if (array_grow(&tree->node, &tree->node_room, tree->nodes + 1) < 0)
		return -ENOMEM;
	index = table_add(&tree->table, hash, (uint32_t)tree->nodes);
	if (index < 0)
		return index;
	key.path =
		table_mix(parent == LIVE_NONE ? 1 : tree->node[parent].path, place + UINT64_C(1));
	if (was_open(tree, key.path))
		key.fold = LIVE_OPEN;
	if (parent != LIVE_NONE) {
		key.next = tree->node[parent].first;
		tree->node[parent].first = (uint32_t)tree->nodes;
	}
	tree->node[tree->nodes] = key;
	return (int)tree->nodes++;
}

/* Finds or adds the nodes of a stack; returns the node at which the stack ends, or -ENOMEM. */
static int place_stack(struct live *live, struct live_tree *tree, const struct sample *sample)
{
	const struct places *places = &live->functions;
	size_t first = live_first_frame(live, sample), n = 0;
	int node = 0;

	for (size_t i = sample->n; i-- > first;) {
		const struct place_location *l = &places->location[sample->location[i]];

		for (size_t j = l->first + l->n; j-- > l->first && node >= 0;) {
			uint32_t place = places->of[j];

			if (tree->at[place]) {
				while (n > tree->at[place])
					tree->at[tree->node[tree->path[--n]].place] = 0;
				node = (int)tree->path[n - 1];
				continue;
			}
			node = child_of(tree, (uint32_t)node, place);
			if (node < 0 ||
				array_add(&tree->path, &tree->path_room, &n, (uint32_t)node) < 0)
				return -ENOMEM;
			tree->at[place] = (uint32_t)n;
		}
	}
	while (n)
		tree->at[tree->node[tree->path[--n]].place] = 0;
	return node;
}

static int remember_open(struct live_tree *tree)
{
	uint64_t *open = reallocarray(tree->open, tree->nodes + 1, sizeof(*open));

	if (!open)
		return -ENOMEM;
	tree->open = open;
	tree->opens = 0;
	for (size_t i = 0; i < tree->nodes; i++) {
		if (tree->node[i].fold == LIVE_OPEN)
			open[tree->opens++] = tree->node[i].path;
	}
	if (tree->opens)
		qsort(open, tree->opens, sizeof(*open), order_u64);
	return 0;
}

/*
 * Removes all nodes but a new root: the others are added again with the present names. Remembers
 * the unfolded paths. 0 or -ENOMEM.
 */
static int begin_anew(struct live *live, struct live_tree *tree)
{
	if (remember_open(tree) < 0)
		return -ENOMEM;
	table_clear(&tree->table);
	tree->nodes = 0;
	if (tree->ends)
		memset(tree->end, 0, tree->ends * sizeof(*tree->end));
	tree->renamed = live->functions.renamed;
	tree->hides_calls = live->hide_calls;
	if (child_of(tree, LIVE_NONE, LIVE_NONE) < 0)
		return -ENOMEM;
	tree->node[0].fold = LIVE_OPEN;
	return 0;
}

static int make_room(struct live *live, struct live_tree *tree)
{
	size_t stacks = live->weights.stacks, functions = live->functions.n;

	if (array_grow(&tree->end, &tree->end_room, stacks + 1) < 0 ||
		array_grow(&tree->at, &tree->at_room, functions + 1) < 0)
		return -ENOMEM;
	memset(tree->at, 0, (functions + 1) * sizeof(*tree->at));
	if (stacks < tree->ends)
		tree->ends = 0;
	memset(tree->end + tree->ends, 0, (stacks - tree->ends) * sizeof(*tree->end));
	tree->ends = stacks;
	return 0;
}

static bool stack_matches(const struct live *live, const struct sample *sample)
{
	const struct places *places = &live->functions;

	if (!live->has_filter)
		return true;
	for (size_t i = live_first_frame(live, sample); i < sample->n; i++) {
		const struct place_location *l = &places->location[sample->location[i]];

		for (size_t j = l->first; j < l->first + l->n; j++) {
			if (live->place_matches[places->of[j]])
				return true;
		}
	}
	return false;
}

/* Applies the filter to the functions added since the last call. 0 or -ENOMEM. */
static int match_places(struct live *live)
{
	size_t n = live->functions.n;

	if (!live->has_filter)
		return 0;
	if (array_grow(&live->place_matches, &live->matches_room, n + 1) < 0)
		return -ENOMEM;
	for (; live->places_matched < n; live->places_matched++) {
		const struct place *place = &live->functions.place[live->places_matched];

		live->place_matches[live->places_matched] = live_matches(live,
			&(struct live_row){.name = place->function, .object = place->object},
			false);
	}
	return 0;
}

static int weigh(struct live *live, struct live_page *page, struct live_tree *tree)
{
	double weight, whole = 0;
	struct sample sample;
	size_t at = 0;

	for (size_t i = 0; i < tree->nodes; i++)
		tree->node[i].self = tree->node[i].total = 0;
	while (live_next_stack(live, page, &at, &sample, &weight)) {
		uint32_t *end = &tree->end[at - 1];
		int node;

		whole += weight;
		if (!stack_matches(live, &sample))
			continue;
		node = *end ? (int)*end - 1 : place_stack(live, tree, &sample);
		if (node < 0)
			return node;
		*end = (uint32_t)node + 1;
		if ((size_t)node < tree->nodes)
			tree->node[node].self += weight;
	}
	for (size_t i = tree->nodes; i-- > 0;) {
		struct tree_item *node = &tree->node[i];

		node->total += node->self;
		if (node->parent != LIVE_NONE)
			tree->node[node->parent].total += node->total;
	}
	live_set_whole(live, whole);
	return 0;
}

static uint32_t hottest_child(const struct live_tree *tree, uint32_t node)
{
	uint32_t hottest = LIVE_NONE;

	for (uint32_t c = tree->node[node].first; c != LIVE_NONE; c = tree->node[c].next) {
		if (tree->node[c].total > 0 &&
			(hottest == LIVE_NONE || tree->node[c].total > tree->node[hottest].total))
			hottest = c;
	}
	return hottest;
}

static void open_hottest(struct live_tree *tree, uint32_t from)
{
	for (uint32_t node = from, next; node != LIVE_NONE; node = next) {
		tree->node[node].fold = LIVE_OPEN;
		next = hottest_child(tree, node);
		if (next == LIVE_NONE ||
			tree->node[next].total < HOT_SHARE * tree->node[node].total)
			break;
	}
}

/* Returns a path's node, or else 0, the root. */
static uint32_t find_path(const struct live_tree *tree, uint64_t path)
{
	for (size_t i = 0; path && i < tree->nodes; i++) {
		if (tree->node[i].path == path)
			return (uint32_t)i;
	}
	return 0;
}

static int hotter_first(const void *a, const void *b, void *context)
{
	const struct live_tree *tree = context;
	const struct tree_item *x = &tree->node[*(const uint32_t *)a],
			       *y = &tree->node[*(const uint32_t *)b];

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/*
 * Puts @node's children with a weight of @least or more into tree->child[@n...], hottest first.
 * Returns their number, or -ENOMEM.
 */
static int children_of(struct live_tree *tree, uint32_t node, size_t n, double least)
{
	size_t before = n;

	for (uint32_t c = tree->node[node].first; c != LIVE_NONE; c = tree->node[c].next) {
		if (tree->node[c].total <= 0 || tree->node[c].total < least)
			continue;
		if (array_grow(&tree->child, &tree->child_room, n + 1) < 0)
			return -ENOMEM;
		tree->child[n++] = c;
	}
	if (n - before > 1)
		qsort_r(tree->child + before, n - before, sizeof(*tree->child), hotter_first, tree);
	return (int)(n - before);
}

/*
 * Adds the row of a node. @children: the number of the node's children that may have rows. 0 or
 * -ENOMEM.
 */
static int add_node(struct live *live, uint32_t index, unsigned indent, int children)
{
	const struct tree_item *node = &live->tree->node[index];
	const struct place *place = &live->functions.place[node->place];

	return live_add_row(live,
		&(struct live_row){.id = node->path,
			.self = node->self,
			.total = node->total,
			.name = place->function,
			.object = place->object,
			.place = node->place,
			.node = index,
			.indent = indent,
			.fold = children ? node->fold : LIVE_LEAF,
			.exact = place->unsampled});
}

/* The children of a node on the path from the root to the current node. */
struct visit {
	size_t begin, at, end; /* positions in tree->child: first, next, behind the last */
	/*
	 * of the children's rows: the node's own indent, plus 1 if the node has siblings or several
	 * children
	 */
	unsigned indent;
};

enum { DEPTH_MOST = 4096 };

/* Adds rows of unfolded nodes with a weight of @least or more, depth first. 0 or -ENOMEM. */
static int add_nodes(struct live *live, uint32_t root, double least)
{
	struct live_tree *tree = live->tree;
	struct visit *visit = calloc(DEPTH_MOST, sizeof(*visit));
	size_t depth = 0;
	int n = visit ? children_of(tree, root, 0, least) : -ENOMEM;

	if (n >= 0)
		visit[depth++] = (struct visit){0, 0, (size_t)n, 0};
	while (depth && n >= 0) {
		struct visit *v = &visit[depth - 1];
		uint32_t node;

		if (v->at == v->end) {
			depth--;
			continue;
		}
		node = tree->child[v->at++];
		n = children_of(tree, node, v->end, least);
		if (n < 0 || add_node(live, node, v->indent, n) < 0) {
			n = -ENOMEM;
			break;
		}
		if (n && tree->node[node].fold == LIVE_OPEN && depth < DEPTH_MOST)
			visit[depth++] = (struct visit){v->end, v->end, v->end + (size_t)n,
				v->indent + (n > 1 || v->end - v->begin > 1)};
	}
	free(visit);
	return n < 0 ? n : 0;
}

int live_collect_tree(struct live *live, struct live_page *page)
{
	struct live_tree *tree = live->tree;
	uint32_t root;
	int r;

	if (!tree)
		tree = live->tree = calloc(1, sizeof(*tree));
	if (!tree || make_room(live, tree) < 0 || match_places(live) < 0)
		return -ENOMEM;
	if (!tree->nodes || tree->renamed != live->functions.renamed ||
		tree->hides_calls != live->hide_calls) {
		r = begin_anew(live, tree);
		if (r < 0)
			return r;
	}
	r = weigh(live, page, tree);
	if (r < 0)
		return r;
	root = find_path(tree, page->root);
	if (!page->opened && tree->node[root].total > 0) {
		open_hottest(tree, root);
		page->opened = true;
	}
	return add_nodes(live, root, live->table.whole * live->min_percent / 100);
}

uint32_t live_tree_parent(const struct live *live, uint32_t node)
{
	return live->tree && node < live->tree->nodes ? live->tree->node[node].parent : LIVE_NONE;
}

/* Is @node @top, or below it? Parents have lower indexes than their children. */
static bool is_below(const struct live_tree *tree, uint32_t node, uint32_t top)
{
	while (node != LIVE_NONE && node > top)
		node = tree->node[node].parent;
	return node == top;
}

void live_tree_fold(struct live *live, uint32_t node, enum live_fold fold, bool all_below)
{
	struct live_tree *tree = live->tree;

	if (!tree || node >= tree->nodes)
		return;
	tree->node[node].fold = (uint8_t)fold;
	for (uint32_t i = node + 1; all_below && i < tree->nodes; i++) {
		if (is_below(tree, i, node))
			tree->node[i].fold = (uint8_t)fold;
	}
}

void live_tree_fold_all(struct live *live, enum live_fold fold)
{
	if (live->tree)
		live_tree_fold(live, find_path(live->tree, live_page(live)->root), fold, true);
}

/* Returns the next node, hottest first; after the last one, @root. LIVE_NONE: out of memory. */
static uint32_t next_node(struct live_tree *tree, uint32_t node, uint32_t root)
{
	int n = children_of(tree, node, 0, 0);

	if (n > 0)
		return tree->child[0];
	while (n >= 0 && node != root) {
		uint32_t parent = tree->node[node].parent;

		n = children_of(tree, parent, 0, 0);
		for (int i = 0; i + 1 < n; i++) {
			if (tree->child[i] == node)
				return tree->child[i + 1];
		}
		node = parent;
	}
	return n < 0 ? LIVE_NONE : root;
}

static bool node_matches(const struct live *live, uint32_t node)
{
	const struct place *place = &live->functions.place[live->tree->node[node].place];

	return live_matches(
		live, &(struct live_row){.name = place->function, .object = place->object}, true);
}

uint32_t live_tree_search(struct live *live, uint32_t from, bool backwards)
{
	struct live_tree *tree = live->tree;
	uint32_t root = find_path(tree, live_page(live)->root), found = LIVE_NONE;
	uint32_t node = from < tree->nodes && is_below(tree, from, root) ? from : root,
		 start = node;

	/*
	 * A backward search visits all nodes from the start on, until it returns there. The last
	 * match that it meets is the one before the start.
	 */
	for (size_t i = 0; i < SEARCHED_MOST; i++) {
		node = next_node(tree, node, root);
		if (node == LIVE_NONE || node == start)
			break;
		if (node == root || !node_matches(live, node))
			continue;
		found = node;
		if (!backwards)
			break;
	}
	for (uint32_t up = found; up != LIVE_NONE && up != root;) {
		up = tree->node[up].parent;
		if (up != LIVE_NONE)
			tree->node[up].fold = LIVE_OPEN;
	}
	return found;
}
