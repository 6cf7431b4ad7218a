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
	const struct diff_row **row; /* by node of the tree; NULL: unknown */
};

/*
 * Adds all rows to @table, by path. A path may be in several objects: its first row is used for the
 * frames. -ENOMEM.
 */
int svg_changes_index(const struct diff *diff, struct table *table);

/* The row of a path, by that table; NULL: none. */
const struct diff_row *svg_changes_row(
	const struct diff *diff, const struct table *table, const char *path);

/* Finds the rows of a tree's nodes. -ENOMEM. */
int svg_changes_find(struct svg_changes *changes, const struct tree *tree);

enum svg_change svg_changes_of(const struct svg_changes *changes, size_t node);
/* "#rrggbb"; the stronger the change, the stronger the colour. */
void svg_changes_color(const struct svg_changes *changes, size_t node, char to[8]);
/* The full colour of a change, "#rrggbb", for the legend. */
void svg_changes_legend(unsigned change, char to[8]);
/* The text of a frame's tooltip: both sides, the change and its interval. */
void svg_changes_tooltip(const struct svg *svg, size_t node);
/* Sets the names of the colours, as svg_choose_objects() does for objects. */
void svg_changes_name_objects(struct svg *svg);

#endif
