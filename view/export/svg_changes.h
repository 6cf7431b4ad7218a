/* SPDX-License-Identifier: MIT */
/* What changed between the sides of a flame graph (svg_diff.h), by node of its tree. */
#ifndef VIEW_EXPORT_SVG_CHANGES_H
#define VIEW_EXPORT_SVG_CHANGES_H

#include "view/export/svg.h"

struct diff;
struct diff_row;
struct table;

enum svg_change { SVG_MORE, SVG_LESS, SVG_NO_CHANGE, SVG_CHANGES };

struct svg_changes {
	const struct diff *diff;
	const struct diff_row **row; /* by node: its path's row; NULL: none */
};

/* Fills @table: a path finds its row, or the first of its rows in several objects. 0 or -ENOMEM. */
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
/* Writes a tooltip's part with both sides, the change and its interval. */
void svg_changes_tooltip(const struct svg *svg, size_t node);
/* Sets the legend's names, in place of svg_choose_objects(). */
void svg_changes_name_objects(struct svg *svg);

#endif
