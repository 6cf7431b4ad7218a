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
	const char *suffix;  /* of files in this format: ".svg" */
	const char *help;    /* one line */
	const char *content; /* how such a file describes itself: "the flame graph is" */
	bool binary;         /* not for a terminal */
	bool report;         /* one report of many: a recording is not reduced to it */
	bool has_signs;      /* holds negative values; others refuse a difference of profiles */
	const char *instead; /* what a recording to such a file name is instead; NULL pprof */
	/* As report->print; all options apply except colours and widths. */
	int (*write)(const struct profile *profile, const struct report_options *options, FILE *out,
		char **ret_problem);
	/* The same for two sides, as report->print_sides; NULL: not supported. */
	int (*write_sides)(const struct report_sides *sides, const struct report_options *options,
		FILE *out, char **ret_problem);
};

/* NULL: no format of that name. */
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

/* Calls @format->write, unless it cannot hold the values. Results and @ret_problem: as there. */
int export_write(const struct export_format *format, const struct profile *profile,
	const struct report_options *options, FILE *out, char **ret_problem);

/*
 * Writes in the format of export_for_recording() to a new buffer that the caller frees. Results and
 * @ret_problem: as report->print.
 */
int export_for_file(const char *path, const struct profile *profile,
	const struct report_options *options, char **ret_data, size_t *ret_bytes,
	char **ret_problem);

#endif
