/* SPDX-License-Identifier: MIT */
/*
 * Exporters: a profile in, a file of another format out. Each is an entry of a const table, chosen
 * by name, or by how the name of the file ends.
 */
#ifndef VIEW_EXPORT_H
#define VIEW_EXPORT_H

#include "view/report.h"

struct export_format {
	const char *name;    /* "svg" */
	const char *suffix;  /* of files that are to be of it: ".svg" */
	const char *help;    /* one line */
	const char *content; /* what such a file says of itself: "the flame graph is" */
	bool binary;         /* not for a terminal */
	bool report;         /* one report of many: a recording is not thrown away for it */
	const char *instead; /* the name of what a recording to such a file is; NULL pprof */
	/* As report->print; what the options choose, colours and widths apart, is written. */
	int (*write)(const struct profile *profile, const struct report_options *options, FILE *out,
		char **ret_problem);
	/* The same of two sides, as report->print_sides; NULL: it cannot show them. */
	int (*write_sides)(const struct report_sides *sides, const struct report_options *options,
		FILE *out, char **ret_problem);
};

/* NULL: no format of that name. */
const struct export_format *export_find(const char *name);
/* The one that the file name asks for, in capitals or not; NULL none. */
const struct export_format *export_find_for_file(const char *path);
/* The one for a recording to @path: that or, if it is a report or none, pprof. */
const struct export_format *export_for_recording(const char *path);
/* ", as gzipped pprof whatever it is called" where the name of a recording tells otherwise, else
 * "". */
const char *export_remark(const char *path);
/* The @index-th format, NULL past the end. */
const struct export_format *export_at(size_t index);

/*
 * In the format of export_for_recording(), into a fresh buffer that the caller frees. Results and
 * @ret_problem: as report->print.
 */
int export_for_file(const char *path, const struct profile *profile,
	const struct report_options *options, char **ret_data, size_t *ret_bytes,
	char **ret_problem);

#endif
