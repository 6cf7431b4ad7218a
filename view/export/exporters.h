/* SPDX-License-Identifier: MIT */
/* The write() and write_sides() functions in the table of export.c, each in a file of its own. */
#ifndef VIEW_EXPORT_EXPORTERS_H
#define VIEW_EXPORT_EXPORTERS_H

#include "view/options.h"

struct report_sides;

typedef int exporter_write(const struct profile *profile, const struct report_options *options,
	FILE *out, char **ret_problem);

exporter_write callgrind_write;
exporter_write firefox_write;
exporter_write folded_write;
exporter_write gmon_write;
exporter_write html_write;
exporter_write perf_script_write;
exporter_write speedscope_write;
exporter_write svg_write;
int svg_diff_write(const struct report_sides *sides, const struct report_options *options,
	FILE *out, char **ret_problem);

#endif
