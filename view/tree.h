/* SPDX-License-Identifier: MIT */
/*
 * The call tree: the sums of the chosen samples' stacks, from the outermost function inwards, or
 * (bottom-up) from the leaf outwards.
 *
 * Node 0 is the root, "all". With a split, there is a node for each process or thread below it. A
 * node's total counts a sample once; its self counts the samples whose stack ends there. Bottom-up,
 * stacks begin with their leaves, so that only the nodes at the top have a self.
 */
#ifndef VIEW_TREE_H
#define VIEW_TREE_H

#include "view/places.h"
#include "view/rows.h"

enum { TREE_ROOT = 0, TREE_NONE = UINT32_MAX };

enum tree_folding {
	/*
	 * Recursion is folded: where a function occurs again in a stack, its path goes on at the
	 * first occurrence. The stack f > g > f > h is both f > g and f > h. Therefore only real
	 * calls are shown, and no function is below itself. A sample counts in all these paths, so
	 * the totals of callees may sum up to more than their caller's.
	 */
	TREE_FOLDED,
	/*
	 * Recursion is folded, too, but a sample counts only in its final path (above: f > h).
	 * Totals of callees sum up to their caller's at most.
	 */
	TREE_SHORTENED,
	/* Stacks are unchanged. */
	TREE_WHOLE,
};

struct tree_node {
	uint32_t place;       /* TREE_NONE: the root, or a process or thread */
	uint32_t task;        /* of a process or thread: one of its tasks; otherwise TREE_NONE */
	uint32_t parent;      /* the root's is TREE_NONE */
	uint32_t child, next; /* first child, next sibling, hottest first; TREE_NONE: none */
	uint32_t depth;       /* the root's is 0 */
	uint32_t nesting;     /* maximum occurrences of the function on a stack; 1: no recursion */
};

struct tree {
	struct tree_node *node; /* parents before children */
	size_t n, node_room;
	int64_t *value; /* by node: @values of self (one per value type), then @values of total */
	size_t value_room, values;
	size_t deepest; /* frames of the deepest stack */
	struct places places;
	struct rows sums; /* only the sums, as of rows_sum_up(); no rows */
	bool bottom_up;
};

/*
 * Builds the tree. 0, -ENOMEM, or -EINVAL with a sentence in @ret_problem, which the caller frees
 * (see filter_init()).
 */
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

/* Returns the node's self in the value type by which the tree is weighed. */
static inline int64_t tree_self_weight(const struct tree *tree, size_t node)
{
	return tree_self(tree, node)[tree->sums.weight];
}

static inline int64_t tree_total_weight(const struct tree *tree, size_t node)
{
	return tree_total(tree, node)[tree->sums.weight];
}

/*
 * Returns the node after @node in depth-first order, within the tree below @top; TREE_NONE at the
 * end.
 */
uint32_t tree_walk(const struct tree *tree, uint32_t top, uint32_t node);

/*
 * Returns the name of a process's or thread's node: "worker 101"; with REPORT_SPLIT_NAME "worker".
 * The caller frees it; NULL: out of memory.
 */
char *tree_task_name(const struct profile *profile, const struct report_options *options,
	const struct tree_node *node);

#endif
