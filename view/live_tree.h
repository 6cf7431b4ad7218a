/* SPDX-License-Identifier: MIT */
/* The nodes of the call tree, for live_tree.c (what they weigh) and live_folds.c (what is open). */
#ifndef VIEW_LIVE_TREE_H
#define VIEW_LIVE_TREE_H

#include "view/live_internal.h"

struct tree_item {
	uint64_t path; /* stays its own when nodes are made anew */
	uint32_t place, parent;
	uint32_t first, next; /* child, sibling: as found */
	uint8_t fold;
	double self, total;
};

struct live_tree {
	struct tree_item *node; /* 0 is the root; parents before children */
	size_t nodes, node_room;
	struct table table; /* of nodes, by parent and place */
	uint32_t *end;      /* by stack: its node + 1; 0 not known yet */
	size_t ends, end_room;
	uint64_t renamed; /* of the places, when the nodes were made */
	bool hides_calls;
	uint32_t *path, *at; /* of the stack under way; by function: where it is on the path, + 1 */
	size_t path_room, at_room;
	uint32_t *child; /* children under way, sorted */
	size_t child_room;
	uint64_t *open; /* paths that were open before nodes were made anew, sorted */
	size_t opens;
};

/*
 * Children that weigh something, and at least @least, hottest first, in child[] from @n on. Their
 * number, or -ENOMEM.
 */
int live_tree_children(struct live_tree *tree, uint32_t node, size_t n, double least);
/* The node of a path; 0, the root, when there is none. */
uint32_t live_tree_find(const struct live_tree *tree, uint64_t path);
/* Opens the path from @node on that most of the time is on. */
void live_tree_open_hottest(struct live_tree *tree, uint32_t node);

#endif
