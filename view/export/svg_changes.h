/* SPDX-License-Identifier: MIT */
/* What changed between the sides of a flame graph (svg_diff.c), by node of its tree. */
#ifndef VIEW_EXPORT_SVG_CHANGES_H
#define VIEW_EXPORT_SVG_CHANGES_H

#include "view/export/svg.h"

struct diff;
struct diff_row;
struct table;

enum svg_change { SVG_MORE, SVG_LESS, SVG_NO_CHANGE, SVG_CHANGES };

struct svg_changes {
	const struct diff *diff;
	const struct diff_row **row; /* by node: the row of the node's path; NULL: none */
};

/*
 * Fills @table, which finds the row of a path. If a path has rows in several objects,
 * svg_changes_row() finds the first of them. 0 or -ENOMEM.
 */
int svg_changes_index(const struct diff *diff, struct table *table);

/* NULL: the table of svg_changes_index() lacks the path. */
const struct diff_row *svg_changes_row(
	const struct diff *diff, const struct table *table, const char *path);

/* Sets changes->row, which the caller frees. 0 or -ENOMEM. */
int svg_changes_find(struct svg_changes *changes, const struct tree *tree);

enum svg_change svg_changes_of(const struct svg_changes *changes, size_t node);
/* Sets @to to a node's colour, "#rrggbb": the greater the change, the stronger. */
void svg_changes_color(const struct svg_changes *changes, size_t node, char to[8]);
/* Sets @to to the legend's colour, "#rrggbb". */
void svg_changes_legend(unsigned change, char to[8]);
/*
 * Writes the lines of a node's tooltip about the comparison: the values of both sides, the change
 * and the interval of the change.
 */
void svg_changes_tooltip(const struct svg *svg, size_t node);
/*
 * Sets svg->object to the names in the legend of a comparison, and svg->object_self to their
 * values. For a comparison it is called instead of svg_choose_objects().
 */
void svg_changes_name_objects(struct svg *svg);

#endif
