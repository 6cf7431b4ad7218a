/* SPDX-License-Identifier: MIT */
/*
 * The call tree of the chosen samples, from the outermost function inwards, or (bottom-up) from the
 * leaf outwards.
 *
 * Node 0 is the root, "all". With a split, it has a child for each process or thread. A node's
 * total counts a sample once; its self counts the samples whose stack ends there. Bottom-up, stacks
 * begin with their leaves, so only the functions at the top have a self.
 */
#ifndef VIEW_TREE_H
#define VIEW_TREE_H

#include "view/places.h"
#include "view/rows.h"

enum { TREE_ROOT = 0, TREE_NONE = UINT32_MAX };

enum tree_folding {
	/*
	 * Recursion is folded: where a function occurs again in a stack, its path goes on at the
	 * first occurrence. The stack f > g > f > h becomes the paths f > g and f > h: only real
	 * calls, and no function is below itself. A sample counts in all its paths, so totals of
	 * callees may exceed their caller's.
	 */
	TREE_FOLDED,
	/*
	 * Recursion is folded as above, but a sample counts only in the path that its stack ends
	 * with: the stack f > g > f > h counts in f > h, not in f > g. So the totals of callees add
	 * up to at most the total of their caller.
	 */
	TREE_SHORTENED,
	TREE_WHOLE,
};

struct tree_node {
	uint32_t place;       /* TREE_NONE: the node is the root, a process or a thread */
	uint32_t task;        /* process or thread: one of its tasks; else TREE_NONE */
	uint32_t parent;      /* TREE_NONE: root */
	uint32_t child, next; /* first child; next sibling, hottest first; TREE_NONE: none */
	uint32_t depth;       /* root: 0 */
	uint32_t nesting;     /* maximum occurrences of the function on a stack; 1: no recursion */
};

struct tree {
	struct tree_node *node; /* parents before children */
	size_t n, node_room;
	int64_t *value; /* by node: its self, then its total, each one number per value type */
	size_t value_room, values;
	size_t deepest;
	struct places places;
	struct rows sums; /* sums over all samples; the list of rows is empty */
	bool bottom_up;
};

/*
 * Returns 0; -ENOMEM; -EFBIG if there are too many nodes; or -EINVAL if a pattern of the options is
 * no regular expression, or the profile lacks the value type. With -EINVAL, *@ret_problem is a
 * sentence, which the caller frees.
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

/* Returns the node's self in the value type that weighs the tree. */
static inline int64_t tree_self_weight(const struct tree *tree, size_t node)
{
	return tree_self(tree, node)[tree->sums.weight];
}

static inline int64_t tree_total_weight(const struct tree *tree, size_t node)
{
	return tree_total(tree, node)[tree->sums.weight];
}

/*
 * Sets *@ret_first, which the caller frees: by task, the first task of the same thread, process, or
 * (REPORT_SPLIT_NAME) process name. 0 or -ENOMEM.
 */
int tree_first_tasks(const struct profile *profile, enum report_split split, uint32_t **ret_first);

/* Returns the node after @node, depth-first, in the tree below @top; TREE_NONE at the end. */
uint32_t tree_walk(const struct tree *tree, uint32_t top, uint32_t node);

/* Returns "worker 101" (REPORT_SPLIT_NAME: "worker"), freed by the caller; NULL: out of memory. */
char *tree_task_name(const struct profile *profile, const struct report_options *options,
	const struct tree_node *node);

#endif
