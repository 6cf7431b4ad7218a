/* SPDX-License-Identifier: MIT */
/*
 * A flame graph of two sides. A frame's width is the mean of its values on both sides. A frame is
 * red if its value is significantly greater on side B, blue if it is significantly less, grey if
 * the difference may be chance.
 */
#ifndef VIEW_EXPORT_SVG_DIFF_H
#define VIEW_EXPORT_SVG_DIFF_H

#include <stdio.h>

#include "view/report/tree_report.h"

/* The write_sides() of struct export_format (export.h). */
int svg_diff_write(const struct report_sides *sides, const struct report_options *options,
	FILE *out, char **ret_problem);

#endif
