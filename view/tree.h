/* SPDX-License-Identifier: MIT */
/*
 * The call tree: the sums of the chosen samples' stacks, from the outermost function inwards, or
 * (bottom-up) from the leaf outwards.
 *
 * Node 0 is the root, "all". With a split there is a node for each process or thread below it. A
 * node's total counts a sample once; its self is that of the samples that end there. Bottom-up,
 * only the leaves, which are below the root, have a self.
 */
#ifndef VIEW_TREE_H
#define VIEW_TREE_H

#include "view/places.h"
#include "view/rows.h"

enum { TREE_ROOT = 0, TREE_NONE = UINT32_MAX };

enum tree_folding {
	/*
	 * A function that is called again takes the path back to its earlier occurrence: f > g > f
	 * > h is both f > g and f > h. So only real calls are shown, and no function is below
	 * itself; callees that are active at the same time may sum up to more than their caller.
	 */
	TREE_FOLDED,
	/* As TREE_FOLDED, but only the final path is counted: callees sum up to their caller. */
	TREE_SHORTENED,
	/* Stacks are unchanged. */
	TREE_WHOLE,
};

struct tree_node {
	uint32_t place;       /* TREE_NONE: the root, or a process or thread */
	uint32_t task;        /* of a process or thread: one of its tasks; otherwise TREE_NONE */
	uint32_t parent;      /* TREE_NONE of the root */
	uint32_t child, next; /* the first child and the next sibling, hottest first; TREE_NONE */
	uint32_t depth;       /* the root's is 0 */
	uint32_t nesting;     /* maximum occurrences of the function on a stack; 1: no recursion */
};

struct tree {
	struct tree_node *node; /* parents before children */
	size_t n, node_room;
	int64_t *value; /* by node: self, then total, @values of each */
	size_t value_room, values;
	size_t deepest; /* frames of the deepest stack */
	struct places places;
	struct rows sums; /* sums over the samples, without rows */
	bool bottom_up;
};

/* Builds the tree. Results and @ret_problem as those of filter_init() (filter.h). */
int tree_init(struct tree *tree, const struct profile *profile,
	const struct report_options *options, enum tree_folding folding, char **ret_problem);
void tree_release(struct tree *tree);

static inline const int64_t *tree_self(const struct tree *tree, size_t node)
{
	return tree->value + node * 2 * tree->values;
}

static inline const int64_t *tree_total(const struct tree *tree, size_t node)
{
	return tree_self(tree, node) + tree->values;
}

/* The node's self value by which the tree is weighed. */
static inline int64_t tree_self_weight(const struct tree *tree, size_t node)
{
	return tree_self(tree, node)[tree->sums.weight];
}

static inline int64_t tree_total_weight(const struct tree *tree, size_t node)
{
	return tree_total(tree, node)[tree->sums.weight];
}

/* The next node in depth-first order, within the tree below @top; TREE_NONE at the end. */
uint32_t tree_walk(const struct tree *tree, uint32_t top, uint32_t node);

/*
 * The name of a node of a task: "worker 101", or by name "worker". The caller frees it; NULL: out
 * of memory.
 */
char *tree_task_name(const struct profile *profile, const struct report_options *options,
	const struct tree_node *node);

#endif
