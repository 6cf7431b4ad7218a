/* SPDX-License-Identifier: MIT */
/* Folds and unfolds the call tree, and searches in it, also in folded parts. */

#include "view/live/live_tree.h"

enum { SEARCHED_MOST = 200000 };

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

int live_tree_fold(struct live *live, uint32_t node, enum live_fold fold, bool all_below)
{
	struct live_tree *tree = live->tree;

	if (!tree || node >= tree->nodes)
		return 0;
	tree->node[node].fold = (uint8_t)fold;
	for (uint32_t i = node + 1; all_below && i < tree->nodes; i++) {
		if (is_below(tree, i, node))
			tree->node[i].fold = (uint8_t)fold;
	}
	return live_look(live);
}

int live_tree_fold_all(struct live *live, enum live_fold fold)
{
	return live_tree_fold(live,
		live->tree ? live_tree_find(live->tree, live_page(live)->root) : 0, fold, true);
}

/* Returns the next node, hottest first; after the last one, @root. LIVE_NONE: out of memory. */
static uint32_t next_node(struct live_tree *tree, uint32_t node, uint32_t root)
{
	int n = live_tree_children(tree, node, 0, 0);

	if (n > 0)
		return tree->child[0];
	while (n >= 0 && node != root) {
		uint32_t parent = tree->node[node].parent;

		n = live_tree_children(tree, parent, 0, 0);
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
	uint32_t root = live_tree_find(tree, live_page(live)->root), found = LIVE_NONE;
	uint32_t node = from < tree->nodes && is_below(tree, from, root) ? from : root,
		 start = node;

	/* A backward search visits all nodes: its last match is the one before the start. */
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
