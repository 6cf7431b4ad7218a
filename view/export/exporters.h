/* SPDX-License-Identifier: MIT */
/* The write() functions in the table of export.c, each in a file of its own. */
#ifndef VIEW_EXPORT_EXPORTERS_H
#define VIEW_EXPORT_EXPORTERS_H

#include "view/options.h"

typedef int exporter_write(const struct profile *profile, const struct report_options *options,
	FILE *out, char **ret_problem);

exporter_write callgrind_write;
exporter_write firefox_write;
exporter_write gmon_write;
exporter_write html_write;
exporter_write perf_script_write;
exporter_write speedscope_write;

#endif
