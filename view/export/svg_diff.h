/* SPDX-License-Identifier: MIT */
/*
 * A flame graph of two sides: the width of a frame is the mean of both; it is red if side B takes
 * significantly more, blue if it takes less, grey if the difference may be chance.
 */
#ifndef VIEW_EXPORT_SVG_DIFF_H
#define VIEW_EXPORT_SVG_DIFF_H

#include "view/export/svg.h"

struct diff;
struct diff_row;

enum svg_change { SVG_MORE, SVG_LESS, SVG_NO_CHANGE, SVG_CHANGES };

struct svg_diff {
	const struct diff *diff;
	const struct diff_row **row; /* by node of the tree; NULL: unknown */
};

/* The write_sides() of the format (export.h). */
int svg_diff_write(const struct report_sides *sides, const struct report_options *options,
	FILE *out, char **ret_problem);

/* Finds the rows of a tree's nodes. -ENOMEM. */
int svg_diff_find(struct svg_diff *svg_diff, const struct tree *tree);

enum svg_change svg_diff_change(const struct svg_diff *svg_diff, size_t node);
/* "#rrggbb"; the stronger the change, the stronger the colour. */
void svg_diff_color(const struct svg_diff *svg_diff, size_t node, char to[8]);
/* The full colour of a change, "#rrggbb", for the legend. */
void svg_diff_legend(unsigned change, char to[8]);
/* The text of a frame's tooltip: both sides, the change and its interval. */
void svg_diff_tooltip(const struct svg *svg, size_t node);
/* Sets the names of the colours, as svg_choose_objects() does for objects. */
void svg_diff_objects(struct svg *svg);

#endif
