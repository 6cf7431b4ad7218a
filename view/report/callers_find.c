/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "view/report/callers.h"

/*
 * CANDIDATES: maximum names in a list of suggestions. LIST_COLUMNS: the list's width if the
 * report's width is unlimited.
 */
enum { CANDIDATES = 8, LIST_COLUMNS = 100, INDENT = 4 };

struct finding {
	struct rows rows; /* functions, greatest total first */
	bool *hit;        /* by row: it matches, and no earlier row has its name */
	size_t hits;
};

static bool is_named_before(const struct rows *rows, size_t index)
{
	for (size_t i = 0; i < index; i++) {
		if (!strcmp(rows->row[i].function, rows->row[index].function))
			return true;
	}
	return false;
}

static void match_all(struct finding *f, const regex_t *regex)
{
	f->hits = 0;
	for (size_t i = 0; i < f->rows.n; i++) {
		f->hit[i] = !regexec(regex, f->rows.row[i].function, 0, NULL, 0) &&
			!(f->hits && is_named_before(&f->rows, i));
		f->hits += f->hit[i];
	}
}

static const char *find_row(const struct rows *rows, const char *name)
{
	for (size_t i = 0; i < rows->n; i++) {
		if (!strcmp(rows->row[i].function, name))
			return rows->row[i].function;
	}
	return NULL;
}

/*
 * Returns the name, as reports show it, of the function whose name is options->function; NULL:
 * there is none.
 */
static const char *find_exact(const struct profile *profile, const struct report_options *options,
	const struct rows *rows)
{
	const char *wanted = options->function, *found = find_row(rows, wanted);

	for (size_t i = 0; i < profile_functions(profile) && !found; i++) {
		struct function function = profile_function(profile, i);

		if (!strcmp(function.symbol, wanted) || !strcmp(function.name, wanted))
			found = find_row(
				rows, options->no_demangle ? function.symbol : function.name);
	}
	return found;
}

/* Lists up to CANDIDATES matches and the number of further ones. */
static int list_hits(const struct finding *f, const struct report_options *options, FILE *out)
{
	size_t width = options->width ? options->width : LIST_COLUMNS, listed = 0;
	int r = 0;

	width = width > 2 * INDENT ? width - INDENT : INDENT;
	for (size_t i = 0; i < f->rows.n && listed < CANDIDATES && r == 0; i++) {
		char *name;

		if (!f->hit[i])
			continue;
		name = text_clean(f->rows.row[i].function, options->ascii);
		r = name ? text_cut_name(&name, width, options->ascii) : -ENOMEM;
		if (r == 0)
			fprintf(out, "\n%*s%s", INDENT, "", name);
		free(name);
		listed++;
	}
	if (f->hits > listed && r == 0)
		fprintf(out, "\n%*sand %zu more", INDENT, "", f->hits - listed);
	return r;
}

/* Lists functions that match if case is ignored, or else the hottest functions. */
static int list_instead(struct finding *f, const struct report_options *options, FILE *out)
{
	regex_t any;

	if (!f->rows.n)
		return 0;
	if (!regcomp(&any, options->function, REG_EXTENDED | REG_NOSUB | REG_ICASE)) {
		match_all(f, &any);
		regfree(&any);
	}
	for (size_t i = 0; !f->hits && i < f->rows.n && i < CANDIDATES; i++)
		f->hit[i] = true;
	fputs("; there is:", out);
	return list_hits(f, options, out);
}

static int tell(struct finding *f, const struct report_options *options, char **ret_problem)
{
	char *text = NULL, *clean = text_clean(options->function, false);
	size_t bytes;
	FILE *out = clean ? open_memstream(&text, &bytes) : NULL;
	int r;

	if (!out) {
		free(clean);
		return -ENOMEM;
	}
	if (f->hits) {
		fprintf(out,
			"'%s' matches %zu functions; give the whole name of one, or ^NAME$:", clean,
			f->hits);
		r = list_hits(f, options, out);
	} else {
		fprintf(out, "no function is named or matches '%s'", clean);
		r = list_instead(f, options, out);
	}
	free(clean);
	if (fclose(out) || r < 0) {
		free(text);
		return -ENOMEM;
	}
	*ret_problem = text;
	return -ENOENT;
}

static int find_by_pattern(struct finding *f, const struct report_options *options,
	const char **ret_name, char **ret_problem)
{
	const char *wanted = options->function;
	char reason[128];
	regex_t regex;
	int error = regcomp(&regex, wanted, REG_EXTENDED | REG_NOSUB);

	if (error) {
		(void)regerror(error, &regex, reason, sizeof(reason));
		return text_refuse(ret_problem, -EINVAL,
			"no function is named '%s', and it is not a regular expression: %s", wanted,
			reason);
	}
	match_all(f, &regex);
	regfree(&regex);
	for (size_t i = 0; i < f->rows.n && f->hits == 1; i++) {
		if (f->hit[i])
			*ret_name = f->rows.row[i].function;
	}
	return f->hits == 1 ? 0 : tell(f, options, ret_problem);
}

int callers_find(const struct profile *profile, const struct report_options *options,
	char **ret_name, char **ret_problem)
{
	const struct report_options all = {.size = sizeof(all),
		.sort_by_total = true,
		.no_inline = options->no_inline,
		.no_demangle = options->no_demangle};
	struct finding f = {0};
	const char *name;
	int error = rows_collect(profile, &all, ROWS_BY_FUNCTION, &f.rows, ret_problem);

	if (error < 0)
		return error;
	name = find_exact(profile, options, &f.rows);
	f.hit = calloc(f.rows.n + 1, sizeof(*f.hit));
	if (!f.hit)
		error = -ENOMEM;
	else if (!name)
		error = find_by_pattern(&f, options, &name, ret_problem);
	if (!error) {
		*ret_name = strdup(name);
		error = *ret_name ? 0 : -ENOMEM;
	}
	free(f.hit);
	rows_release(&f.rows);
	return error;
}
