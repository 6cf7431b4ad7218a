/* SPDX-License-Identifier: MIT */
/* The call tree, for live_tree.c (nodes, weights) and live_folds.c (folding, search). */
#ifndef VIEW_LIVE_LIVE_TREE_H
#define VIEW_LIVE_LIVE_TREE_H

#include "view/live/live_internal.h"

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
	uint32_t *end;      /* by stack: 1 + the node at which it ends; 0: unknown yet */
	size_t ends, end_room;
	uint64_t renamed;    /* places.renamed when the nodes were built */
	bool hides_calls;    /* system-call frames have no nodes */
	uint32_t *path, *at; /* nodes of the current stack; by function: 1 + its index in @path */
	size_t path_room, at_room;
	uint32_t *child; /* result of live_tree_children() */
	size_t child_room;
	uint64_t *open; /* the paths that were unfolded when nodes were last rebuilt, sorted */
	size_t opens;
};

/*
 * Puts @node's children with a weight of @least or more into tree->child[@n...], hottest first.
 * Returns their number, or -ENOMEM.
 */
int live_tree_children(struct live_tree *tree, uint32_t node, size_t n, double least);
/* Returns a path's node, or else 0, the root. */
uint32_t live_tree_find(const struct live_tree *tree, uint64_t path);

#endif
