/* SPDX-License-Identifier: MIT */
/* The report `tree`: which function called which, hottest path first. */
#ifndef VIEW_REPORT_TREE_REPORT_H
#define VIEW_REPORT_TREE_REPORT_H

#include "view/tree.h"

struct tree_choice {
	bool *kept;            /* by node: is it kept? false for the root */
	size_t n, left_out;    /* number of nodes kept; number of others */
	int64_t most_left_out; /* the greatest total of a node not kept */
};

/* Chooses the hottest nodes, each with its callers, by the limits of @options. 0 or -ENOMEM. */
int tree_choice_init(
	struct tree_choice *choice, const struct tree *tree, const struct report_options *options);
void tree_choice_release(struct tree_choice *choice);

/* Prints the table and the remarks below it, without header and audit. 0 or -ENOMEM. */
int tree_text_part(const struct profile *profile, const struct report_options *options,
	const struct tree *tree, const struct tree_choice *choice, FILE *out);

#endif
