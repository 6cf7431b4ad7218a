/* SPDX-License-Identifier: MIT */
/* The report `tree`: who called whom, hottest path first. */
#ifndef VIEW_REPORT_TREE_REPORT_H
#define VIEW_REPORT_TREE_REPORT_H

#include "view/tree.h"

/* The print() of the report (report.h). */
int tree_report_print(const struct profile *profile, const struct report_options *options,
	FILE *out, char **ret_problem);

/* The nodes that the options keep: the hottest, and never one without its caller. */
struct tree_choice {
	bool *kept; /* by node; never the root */
	size_t n, left_out;
	int64_t most_left_out; /* the greatest total of a node that is not kept */
};

int tree_choice_init(
	struct tree_choice *choice, const struct tree *tree, const struct report_options *options);
void tree_choice_release(struct tree_choice *choice);

/* The first kept node among @node and the siblings after it; TREE_NONE. */
uint32_t tree_choice_first(
	const struct tree_choice *choice, const struct tree *tree, uint32_t node);

/* Prints the text form (tree_text.c). */
int tree_text(const struct profile *profile, const struct report_options *options,
	const struct tree *tree, const struct tree_choice *choice, FILE *out);
/* Prints the table alone, and what stands below it. */
int tree_text_part(const struct profile *profile, const struct report_options *options,
	const struct tree *tree, const struct tree_choice *choice, FILE *out);

#endif
