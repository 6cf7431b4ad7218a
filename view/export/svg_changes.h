/* SPDX-License-Identifier: MIT */
/* What changed between the two sides of a flame graph (svg_diff.h), by node of its tree. */
#ifndef VIEW_EXPORT_SVG_CHANGES_H
#define VIEW_EXPORT_SVG_CHANGES_H

#include "view/export/svg.h"

struct diff;
struct diff_row;
struct table;

enum svg_change { SVG_MORE, SVG_LESS, SVG_NO_CHANGE, SVG_CHANGES };

struct svg_changes {
	const struct diff *diff;
	const struct diff_row **row; /* by node of the tree: its path's row; NULL: none */
};

/*
 * Adds all rows to @table, which finds them by path. If a path has several rows, in several
 * objects, it finds the first. 0 or -ENOMEM.
 */
int svg_changes_index(const struct diff *diff, struct table *table);

/* Finds the row of a path in a table of svg_changes_index(); NULL: none. */
const struct diff_row *svg_changes_row(
	const struct diff *diff, const struct table *table, const char *path);

/* Sets changes->row, which the caller frees, for the nodes of a tree. 0 or -ENOMEM. */
int svg_changes_find(struct svg_changes *changes, const struct tree *tree);

enum svg_change svg_changes_of(const struct svg_changes *changes, size_t node);
/* Sets @to to the colour of a node, "#rrggbb": the greater the change, the stronger the colour. */
void svg_changes_color(const struct svg_changes *changes, size_t node, char to[8]);
/* Sets @to to the full colour of a change, "#rrggbb", for the legend. */
void svg_changes_legend(unsigned change, char to[8]);
/* Writes the part of a frame's tooltip with both sides, the change and its interval. */
void svg_changes_tooltip(const struct svg *svg, size_t node);
/* Sets the names in the legend of colours, in place of svg_choose_objects(). */
void svg_changes_name_objects(struct svg *svg);

#endif
