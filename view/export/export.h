/* SPDX-License-Identifier: MIT */
/* Exporters write a profile in another format, chosen by name or by suffix of a file name. */
#ifndef VIEW_EXPORT_EXPORT_H
#define VIEW_EXPORT_EXPORT_H

#include "view/options.h"

struct export_format {
	const char *name;    /* "svg" */
	const char *suffix;  /* suffix of its files: ".svg" */
	const char *help;    /* a line for --help */
	const char *content; /* subject of messages about its file: "the flame graph is" */
	bool binary;         /* must not be written to a terminal */
	bool report;         /* shows only a part of a profile, so no recording has this format */
	bool has_signs;      /* can hold negative values; others refuse a difference of profiles */
	const char *instead; /* if @report: format of a recording with this suffix; NULL: pprof */
	/* All options but colours and widths apply. Contract: that of struct report's print(). */
	int (*write)(const struct profile *profile, const struct report_options *options, FILE *out,
		char **ret_problem);
	/* NULL: the format cannot show two sides. Contract: print_sides() of struct report. */
	int (*write_sides)(const struct report_sides *sides, const struct report_options *options,
		FILE *out, char **ret_problem);
	const char *note; /* what a reader of the file must know; NULL: nothing */
};

/* NULL: no format has the name. */
const struct export_format *export_find(const char *name);
/*
 * Returns the format of @path: by suffix, in upper or lower case, or by a name such as
 * "callgrind.out" with a number behind it. NULL: none.
 */
const struct export_format *export_find_for_file(const char *path);
/* Returns the format of a recording: by suffix; for a report's suffix its @instead; else pprof. */
const struct export_format *export_for_recording(const char *path);
/* Returns ", as gzipped pprof whatever it is called" if @path suggests another format, else "". */
const char *export_remark(const char *path);
/* NULL: past the end of the suffixes that name a format. */
const char *export_suffix_at(size_t index);
/* NULL: past the end of the table. */
const struct export_format *export_at(size_t index);

/*
 * Calls @format->write(). -EINVAL, too, if the format cannot hold the profile's negative values;
 * *@ret_problem is then a sentence, which the caller frees.
 */
int export_write(const struct export_format *format, const struct profile *profile,
	const struct report_options *options, FILE *out, char **ret_problem);

/*
 * Writes in export_for_recording()'s format to a new buffer, which the caller frees. The contract
 * is that of write().
 */
int export_for_file(const char *path, const struct profile *profile,
	const struct report_options *options, char **ret_data, size_t *ret_bytes,
	char **ret_problem);

#endif
