/* SPDX-License-Identifier: MIT */
/*
 * Exporters: functions that write a profile in another format, in a const table, chosen by name or
 * by the suffix of a file name.
 */
#ifndef VIEW_EXPORT_EXPORT_H
#define VIEW_EXPORT_EXPORT_H

#include "view/options.h"

struct export_format {
	const char *name;    /* "svg" */
	const char *suffix;  /* suffix of files in this format: ".svg" */
	const char *help;    /* a line for --help */
	const char *content; /* subject of messages about such a file: "the flame graph is" */
	bool binary;         /* not for a terminal */
	/* The format has only a part of a profile: it is not used for a recording. */
	bool report;
	/* The format can hold negative values. Others refuse a difference of profiles. */
	bool has_signs;
	const char *instead; /* name of the format of recordings with this suffix; NULL: pprof */
	/*
	 * Writes the profile. All options apply except colours and widths. The parameters and
	 * results are those of print() in struct report (report.h).
	 */
	int (*write)(const struct profile *profile, const struct report_options *options, FILE *out,
		char **ret_problem);
	/*
	 * Writes a comparison of two sides; NULL: not supported. The parameters and results are
	 * those of print_sides() in struct report (report.h).
	 */
	int (*write_sides)(const struct report_sides *sides, const struct report_options *options,
		FILE *out, char **ret_problem);
	const char *note; /* what a reader of such a file must know; NULL nothing */
};

/* Returns the format called @name; NULL: none. */
const struct export_format *export_find(const char *name);
/*
 * Returns the format of a file's name: by its suffix, in upper or lower case, or by a whole name
 * such as "callgrind.out" with a number behind it; NULL: none.
 */
const struct export_format *export_find_for_file(const char *path);
/*
 * Returns the format in which a recording is written to @path: the one with the suffix of @path. If
 * that one is a report, the format named by its @instead. pprof, if no format has the suffix.
 */
const struct export_format *export_for_recording(const char *path);
/*
 * Returns ", as gzipped pprof whatever it is called" if the name of a recording suggests another
 * format, else "".
 */
const char *export_remark(const char *path);
/* Returns the suffix at @index among those that name a format; NULL past the end. */
const char *export_suffix_at(size_t index);
/* Returns the format at @index in the table; NULL past the end. */
const struct export_format *export_at(size_t index);

/*
 * Calls @format->write(), with its results. -EINVAL, too, if the format cannot hold the profile's
 * negative values, with a sentence in *@ret_problem, which the caller frees.
 */
int export_write(const struct export_format *format, const struct profile *profile,
	const struct report_options *options, FILE *out, char **ret_problem);

/*
 * Writes in the format of export_for_recording() to a new buffer, which the caller frees. The
 * results and @ret_problem are those of write().
 */
int export_for_file(const char *path, const struct profile *profile,
	const struct report_options *options, char **ret_data, size_t *ret_bytes,
	char **ret_problem);

#endif
