/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks, the input of flame graph programs. Each different stack is a line: functions from
 * the root to the leaf, separated by semicolons, then a space and the number of samples.
 *
 *   main;demo::compute(int);helper 50
 *
 * A semicolon in a name becomes a colon; control characters and invalid UTF-8 become '?'. If the
 * profile has no numbers of samples, the value type that reports show by default is written
 * instead. Samples without a stack are "[unknown]". CPU time without a sample is left out. If the
 * options split the report by process or thread, the name of the process or thread is the outermost
 * frame.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"
#include "view/export/exporters.h"
#include "view/options.h"
#include "view/tree.h"

struct folding {
	const struct profile *profile;
	const struct report_options *options;
	const struct tree *tree;
	uint32_t *path;
	size_t room;
	FILE *out;
};

/* Returns the node's name, which the caller frees; NULL: out of memory. */
static char *name_of(const struct folding *f, const struct tree_node *node)
{
	char *name, *clean;

	if (node->place != TREE_NONE) {
		clean = text_clean(f->tree->places.place[node->place].function, false);
	} else {
		name = tree_task_name(f->profile, f->options, node);
		clean = name ? text_clean(name, false) : NULL;
		free(name);
	}
	for (char *p = clean; p && *p; p++) {
		if (*p == ';')
			*p = ':';
	}
	return clean;
}

static int print_stack(struct folding *f, uint32_t leaf, int64_t count)
{
	const struct tree_node *all = f->tree->node;
	size_t n = all[leaf].depth;

	if (array_grow(&f->path, &f->room, n + 1) < 0)
		return -ENOMEM;
	for (uint32_t at = leaf; at != TREE_ROOT; at = all[at].parent)
		f->path[all[at].depth - 1] = at;
	for (size_t i = 0; i < n; i++) {
		char *name = name_of(f, &all[f->path[i]]);

		if (!name)
			return -ENOMEM;
		fprintf(f->out, "%s%s", i ? ";" : "", name);
		free(name);
	}
	if (!n || all[leaf].place == TREE_NONE)
		fprintf(f->out, "%s[unknown]", n ? ";" : "");
	fprintf(f->out, " %" PRId64 "\n", count);
	return 0;
}

int folded_write(const struct profile *profile, const struct report_options *given, FILE *out,
	char **ret_problem)
{
	struct report_options options = options_take(given);
	struct tree tree;
	struct folding f = {.profile = profile, .options = &options, .tree = &tree, .out = out};
	size_t value;
	int error;

	options.bottom_up = false;
	error = tree_init(&tree, profile, &options, TREE_WHOLE, ret_problem);
	if (error < 0)
		return error;
	value = tree.sums.all[VALUE_SAMPLES] && !options.value ? VALUE_SAMPLES : tree.sums.weight;
	for (uint32_t at = TREE_ROOT; at != TREE_NONE && !error;
		at = tree_walk(&tree, TREE_ROOT, at)) {
		int64_t count = tree_self(&tree, at)[value];

		if (count)
			error = print_stack(&f, at, count);
	}
	free(f.path);
	tree_release(&tree);
	return error;
}
