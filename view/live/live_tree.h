/* SPDX-License-Identifier: MIT */
/* The call tree, for live_tree.c (its nodes and weights) and live_folds.c (folding and search). */
#ifndef VIEW_LIVE_LIVE_TREE_H
#define VIEW_LIVE_LIVE_TREE_H

#include "view/live/live_internal.h"

struct tree_item {
	uint64_t path; /* hash of the path from the root: stays the same when nodes are rebuilt */
	uint32_t place, parent;
	uint32_t first, next; /* first child; next sibling; newest first; LIVE_NONE: none */
	uint8_t fold;         /* LIVE_OPEN or LIVE_CLOSED */
	double self, total;
};

struct live_tree {
	struct tree_item *node; /* node 0 is the root; parents precede children */
	size_t nodes, node_room;
	struct table table; /* index of nodes, by parent and place */
	uint32_t *end;      /* by stack: the node at which it ends + 1; 0 unknown yet */
	size_t ends, end_room;
	uint64_t renamed;    /* places.renamed when the nodes were built */
	bool hides_calls;    /* system-call frames have no nodes */
	uint32_t *path, *at; /* nodes of the current stack; by function: its index there + 1 */
	size_t path_room, at_room;
	uint32_t *child; /* result of live_tree_children() */
	size_t child_room;
	uint64_t *open; /* paths that were unfolded when the nodes were last rebuilt, sorted */
	size_t opens;
};

/*
 * Puts the children of @node that have a weight, of at least @least, in tree->child from index @n
 * on, hottest first. Returns their number, or -ENOMEM.
 */
int live_tree_children(struct live_tree *tree, uint32_t node, size_t n, double least);
/* Returns the node of a path; 0 (the root) if it has none. */
uint32_t live_tree_find(const struct live_tree *tree, uint64_t path);

#endif
