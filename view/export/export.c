/* SPDX-License-Identifier: MIT */
#include "view/export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/output.h"
#include "base/text.h"
#include "profile/pprof.h"
#include "view/export/exporters.h"
#include "view/frames.h"
#include "view/options.h"
#include "view/report/report.h"

static int write_pprof(const struct profile *profile, const struct report_options *given, FILE *out,
	char **ret_problem)
{
	struct report_options options = options_take(given);
	uint8_t *data;
	size_t bytes;
	int error;

	if (options.focus || options.object || options.thread)
		return text_refuse(ret_problem, -EINVAL,
			"a pprof file holds the whole profile: leave --focus, --object and "
			"--thread to the program that reads it");
	error = pprof_write(profile, &data, &bytes);
	if (error < 0)
		return error;
	(void)fwrite(data, 1, bytes, out);
	free(data);
	return 0;
}

static int write_flat(const struct profile *profile, const struct report_options *given,
	enum report_format format, FILE *out, char **ret_problem)
{
	struct report_options options = options_take(given);

	options.format = format;
	return listing_print_flat(profile, &options, out, ret_problem);
}

static int write_csv(const struct profile *profile, const struct report_options *options, FILE *out,
	char **ret_problem)
{
	return write_flat(profile, options, REPORT_CSV, out, ret_problem);
}

static int write_json(const struct profile *profile, const struct report_options *options,
	FILE *out, char **ret_problem)
{
	return write_flat(profile, options, REPORT_JSON, out, ret_problem);
}

static const struct export_format formats[] = {
	{"pprof", ".pb.gz", "the native format, as pprof reads it", "the profile is", true, false,
		true, NULL, write_pprof, NULL, NULL},
	{"folded", ".folded", "stacks, one a line: frame;frame;leaf count", "the stacks are", false,
		false, true, NULL, folded_write, NULL, NULL},
	{"svg", ".svg", "a flame graph for any browser", "the flame graph is", false, false, false,
		NULL, svg_write, svg_diff_write, NULL},
	{"html", ".html", "a page with flame graph, functions and source", "the page is", false,
		true, false, NULL, html_write, NULL, NULL},
	{"speedscope", ".speedscope.json", "for speedscope, a flame graph viewer",
		"the profile for speedscope is", false, false, false, NULL, speedscope_write, NULL,
		NULL},
	{"firefox", ".firefox.json", "for the Firefox Profiler", "the profile for Firefox is",
		false, false, false, NULL, firefox_write, NULL, NULL},
	{"callgrind", "callgrind.out", "for KCachegrind and callgrind_annotate",
		"the profile for KCachegrind is", false, false, false, NULL, callgrind_write, NULL,
		NULL},
	{"gmon", "gmon.out", "for gprof: histogram and arcs of one object",
		"the profile for gprof is", true, false, false, NULL, gmon_write, NULL,
		"its calls are samples, and a time per call is a time per sample; gprof takes "
		"names from "
		"the program's own symbols, not from a debug file"},
	{"perf-script", ".perf", "text as of perf script: a record for each sample",
		"the samples are", false, false, false, NULL, perf_script_write, NULL, NULL},
	{"csv", ".csv", "the flat report as comma separated values", "the report is", false, true,
		true, NULL, write_csv, NULL, NULL},
	{"json", ".json", "the flat report as JSON", "the report is", false, true, true,
		"speedscope", write_json, NULL, NULL},
};

const struct export_format *export_at(size_t index)
{
	return index < sizeof(formats) / sizeof(*formats) ? &formats[index] : NULL;
}

const struct export_format *export_find(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	}
	return NULL;
}

/*
 * Gets a format and one of its suffixes: first the suffixes of formats[], then further suffixes
 * that other programs use for such files. NULL: past the end.
 */
static const struct export_format *format_at(size_t index, const char **ret_suffix)
{
	static const struct {
		const char *suffix, *format;
	} others[] = {{".collapsed", "folded"}, {"perf.script", "perf-script"}};
	size_t n = sizeof(formats) / sizeof(*formats);

	if (index >= n + sizeof(others) / sizeof(*others))
		return NULL;
	*ret_suffix = index < n ? formats[index].suffix : others[index - n].suffix;
	return index < n ? &formats[index] : export_find(others[index - n].format);
}

const char *export_suffix_at(size_t index)
{
	const char *suffix = NULL;

	return format_at(index, &suffix) ? suffix : NULL;
}

const struct export_format *export_find_for_file(const char *path)
{
	const struct export_format *format;
	const char *suffix;

	for (size_t i = 0; (format = format_at(i, &suffix)); i++) {
		if (output_ends_in(path, suffix))
			return format;
	}
	for (size_t i = 0; (format = format_at(i, &suffix)); i++) {
		if (output_continues(path, suffix))
			return format;
	}
	return NULL;
}

const struct export_format *export_for_recording(const char *path)
{
	const struct export_format *format = export_find_for_file(path);

	if (format && format->report)
		format = format->instead ? export_find(format->instead) : NULL;
	return format ? format : export_at(0);
}

const char *export_remark(const char *path)
{
	bool misleads = strchr(text_basename(path), '.') &&
		export_for_recording(path) == export_at(0) &&
		export_find_for_file(path) != export_at(0);

	return misleads ? ", as gzipped pprof whatever it is called" : "";
}

static bool has_negative(const struct profile *profile)
{
	size_t values = profile_value_types(profile);

	for (size_t i = 0; i < profile_samples(profile); i++) {
		struct sample sample = profile_sample(profile, i);

		for (size_t j = 0; j < values; j++) {
			if (sample.value[j] < 0)
				return true;
		}
	}
	return false;
}

int export_write(const struct export_format *format, const struct profile *profile,
	const struct report_options *options, FILE *out, char **ret_problem)
{
	struct frames frames;
	bool is_negative;
	int r;

	if (format->has_signs || !has_negative(profile))
		return format->write(profile, options, out, ret_problem);
	r = frames_init(&frames, profile, options, ret_problem);
	if (r < 0)
		return r;
	is_negative = frames.sums.negative;
	frames_release(&frames);
	if (!is_negative)
		return format->write(profile, options, out, ret_problem);
	return text_refuse(ret_problem, -EINVAL,
		"%s has no negative values, and this profile is a difference: export it as pprof, "
		"folded, csv or json, or see the reports flat, lines, tree and callers",
		format->name);
}

int export_for_file(const char *path, const struct profile *profile,
	const struct report_options *options, char **ret_data, size_t *ret_bytes,
	char **ret_problem)
{
	char *data = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&data, &bytes);
	bool failed;
	int error;

	if (!out)
		return -ENOMEM;
	error = export_for_recording(path)->write(profile, options, out, ret_problem);
	failed = ferror(out);
	if (fclose(out) || failed)
		error = error < 0 ? error : -ENOMEM;
	if (error < 0) {
		free(data);
		return error;
	}
	*ret_data = data;
	*ret_bytes = bytes;
	return 0;
}
