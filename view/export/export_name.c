/* SPDX-License-Identifier: MIT */
#include "view/export/export_name.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "view/export/export.h"

enum { SUFFIX_MOST = 8 };

/*
 * Does @text, which follows a dot, look like a suffix? "csv" does; "2024", "%p", "corp-net" and
 * mktemp's "x7Qd1B" do not.
 */
static bool is_suffix(const char *text)
{
	bool lower = false, upper = false;
	size_t n = strlen(text);

	if (!isalpha((unsigned char)text[0]) || n > SUFFIX_MOST)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!isalnum((unsigned char)text[i]))
			return false;
		lower |= islower((unsigned char)text[i]);
		upper |= isupper((unsigned char)text[i]);
	}
	return !(lower && upper);
}

/* Files with these suffixes hold gzipped pprof, as a recording does. */
static bool is_of_pprof(const char *suffix)
{
	static const char *const names[] = {"pprof", "prof", "pb", "gz"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcasecmp(suffix, names[i]))
			return true;
	}
	return false;
}

/* Returns ".pb.gz (pprof), .folded, .svg", which the caller frees. NULL: out of memory. */
static char *list_formats(void)
{
	const struct export_format *format;
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (!out)
		return NULL;
	for (size_t i = 0; (format = export_at(i)); i++) {
		if (!format->report)
			(void)fprintf(
				out, "%s%s%s", i ? ", " : "", format->suffix, i ? "" : " (pprof)");
	}
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

int export_check_recording(const char *path, char **ret_problem)
{
	const struct export_format *format = export_find_for_file(path);
	const char *name = text_basename(path), *dot = strrchr(name, '.');
	char *list;
	int r;

	if (format && (!format->report || format->instead))
		return 0;
	if (!dot || dot == name || !is_suffix(dot + 1) || is_of_pprof(dot + 1))
		return 0;
	*ret_problem = NULL;
	if (format)
		return text_refuse(ret_problem, -EINVAL,
			"a recording is not written as %s: record to %.*s.pb.gz, then 'sprofreport "
			"export --format %s -o %s %.*s.pb.gz'",
			format->name, (int)(dot - name), name, format->name, name,
			(int)(dot - name), name);
	list = list_formats();
	r = list ? text_refuse(ret_problem, -EINVAL,
			   "no format's name ends in %s: choose %s, or a name without a suffix "
			   "(pprof)",
			   dot, list)
		 : -ENOMEM;
	free(list);
	return r;
}
