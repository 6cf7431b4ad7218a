/* SPDX-License-Identifier: MIT */
/*
 * The nodes of the call tree, for live_tree.c (their weights) and live_folds.c (what is unfolded).
 */
#ifndef VIEW_LIVE_LIVE_TREE_H
#define VIEW_LIVE_LIVE_TREE_H

#include "view/live/live_internal.h"

struct tree_item {
	uint64_t path; /* hash of the path: the same when nodes are rebuilt */
	uint32_t place, parent;
	uint32_t first, next; /* child, sibling: in order of appearance */
	uint8_t fold;
	double self, total;
};

struct live_tree {
	struct tree_item *node; /* node 0 is the root; parents precede children */
	size_t nodes, node_room;
	struct table table; /* index of nodes, by parent and place */
	uint32_t *end;      /* by stack: its node + 1; 0 unknown yet */
	size_t ends, end_room;
	uint64_t renamed; /* renamed of struct places when the nodes were built */
	bool hides_calls;
	uint32_t *path, *at; /* path of the current stack; by function: index on the path + 1 */
	size_t path_room, at_room;
	uint32_t *child; /* the children of the nodes being visited, sorted */
	size_t child_room;
	uint64_t *open; /* paths that were unfolded before nodes were rebuilt, sorted */
	size_t opens;
};

/*
 * The children with a weight of at least @least, hottest first, in child[] from @n on. Returns
 * their number, or -ENOMEM.
 */
int live_tree_children(struct live_tree *tree, uint32_t node, size_t n, double least);
/* The node of a path; 0, the root, if it has none. */
uint32_t live_tree_find(const struct live_tree *tree, uint64_t path);
/* Unfolds the hottest path from @node on. */
void live_tree_open_hottest(struct live_tree *tree, uint32_t node);

#endif
