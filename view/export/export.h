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
	bool binary;         /* is not text, so it must not be written to a terminal */
	bool report;         /* shows a part of a profile, so sprofrun never writes it */
	bool has_signs;      /* can hold negative values; others refuse a difference of profiles */
	const char *instead; /* @report: format of a recording under such a name; NULL: pprof */
	/*
	 * Writes @profile to @out. All options apply but those for colours and widths. 0; -ENOMEM;
	 * -EINVAL: the options are invalid, or the profile cannot be written in the format.
	 * *@ret_problem is then a sentence, which the caller frees. The caller checks for write
	 * errors (ferror).
	 */
	int (*write)(const struct profile *profile, const struct report_options *options, FILE *out,
		char **ret_problem);
	/*
	 * Writes a comparison of two sides, as print_sides() of struct report
	 * (view/report/report.h). NULL: the format cannot show two sides.
	 */
	int (*write_sides)(const struct report_sides *sides, const struct report_options *options,
		FILE *out, char **ret_problem);
	const char *note; /* what a reader of the file must know; NULL: nothing */
};

/* NULL: no format has the name. */
const struct export_format *export_find(const char *name);
/*
 * Returns the format that the name of @path stands for: by its suffix, in upper or lower case, or
 * because it is a name such as "callgrind.out" followed by a dot and a number. NULL: none.
 */
const struct export_format *export_find_for_file(const char *path);
/*
 * Returns the format in which sprofrun writes a recording to @path. It is the one of the name, or,
 * if that is a report (@report), its @instead. Any other name: pprof.
 */
const struct export_format *export_for_recording(const char *path);
/*
 * For a message about a recording at @path, returns ", as gzipped pprof whatever it is called" if
 * the name has a suffix that does not mean pprof, but pprof is written. Else returns "".
 */
const char *export_remark(const char *path);
/* NULL: past the end of the suffixes that name a format. */
const char *export_suffix_at(size_t index);
/* NULL: past the end of the table. */
const struct export_format *export_at(size_t index);

/*
 * Calls @format->write(), and returns its result. -EINVAL also if the profile has negative values
 * (a difference of two profiles), which the format cannot hold. *@ret_problem is then a sentence,
 * which the caller frees.
 */
int export_write(const struct export_format *format, const struct profile *profile,
	const struct report_options *options, FILE *out, char **ret_problem);

/*
 * Writes the profile in the format of export_for_recording(@path) to a new buffer, which the caller
 * frees. Result and *@ret_problem are those of the format's write().
 */
int export_for_file(const char *path, const struct profile *profile,
	const struct report_options *options, char **ret_data, size_t *ret_bytes,
	char **ret_problem);

#endif
