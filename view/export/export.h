/* SPDX-License-Identifier: MIT */
/*
 * Exporters: write a profile in another format. Each is an entry of a const table, chosen by name,
 * or by the suffix of a file name.
 */
#ifndef VIEW_EXPORT_EXPORT_H
#define VIEW_EXPORT_EXPORT_H

#include "view/options.h"

struct export_format {
	const char *name;    /* "svg" */
	const char *suffix;  /* suffix of files in this format: ".svg" */
	const char *help;    /* a line for --help */
	const char *content; /* how such a file describes itself: "the flame graph is" */
	bool binary;         /* not for a terminal */
	bool report;         /* one report of many: a recording is not reduced to it */
	/* the format holds negative values; others refuse a difference of profiles */
	bool has_signs;
	const char *instead; /* what a recording to such a file name is instead; NULL pprof */
	/*
	 * Writes the profile. All options apply except colours and widths. Parameters and results
	 * as those of report->print (report.h).
	 */
	int (*write)(const struct profile *profile, const struct report_options *options, FILE *out,
		char **ret_problem);
	/* Writes a difference of two sides. As report->print_sides; NULL: not supported. */
	int (*write_sides)(const struct report_sides *sides, const struct report_options *options,
		FILE *out, char **ret_problem);
};

/* The format called @name; NULL: none. */
const struct export_format *export_find(const char *name);
/* The format of the suffix of a file name, in any case; NULL none. */
const struct export_format *export_find_for_file(const char *path);
/* The format of a recording to @path: that one or, if it is a report or there is none, pprof. */
const struct export_format *export_for_recording(const char *path);
/*
 * ", as gzipped pprof whatever it is called" if the name of a recording suggests otherwise, else
 * "".
 */
const char *export_remark(const char *path);
/* The @index-th format, NULL past the end. */
const struct export_format *export_at(size_t index);

/*
 * Calls @format->write, unless the format cannot hold the profile's values: -EINVAL, with a
 * sentence in @ret_problem.
 */
int export_write(const struct export_format *format, const struct profile *profile,
	const struct report_options *options, FILE *out, char **ret_problem);

/*
 * Writes in the format of export_for_recording() to a new buffer that the caller frees. Results and
 * @ret_problem as those of export_write().
 */
int export_for_file(const char *path, const struct profile *profile,
	const struct report_options *options, char **ret_data, size_t *ret_bytes,
	char **ret_problem);

#endif
