/* SPDX-License-Identifier: MIT */
#include "base/output.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

const char *output_known_rank(void)
{
	static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
		"MV2_COMM_WORLD_RANK", "SLURM_PROCID"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *rank = getenv(names[i]);

		if (rank && rank[0] && strspn(rank, "0123456789") == strlen(rank))
			return rank;
	}
	return NULL;
}

const char *output_rank(void)
{
	const char *rank = output_known_rank();

	return rank ? rank : "0";
}

unsigned output_ranks(void)
{
	/* SLURM_NTASKS is not used: a batch script has it, too, but is a single process. */
	static const char *const names[] = {
		"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *size = getenv(names[i]);
		unsigned long ranks =
			size && isdigit((unsigned char)size[0]) ? strtoul(size, NULL, 10) : 0;

		if (ranks > 1 && ranks <= UINT32_MAX)
			return (unsigned)ranks;
	}
	return 1;
}

static bool is_word(const char *from, const char *to)
{
	for (const char *p = from; p < to; p++) {
		if (!isalpha((unsigned char)*p))
			return false;
	}
	return to > from;
}

bool output_ends_in(const char *path, const char *suffix)
{
	size_t bytes = strlen(path), n = strlen(suffix);

	return bytes >= n && !strcasecmp(path + bytes - n, suffix);
}

bool output_continues(const char *path, const char *name)
{
	const char *base = text_basename(path);
	size_t n = strlen(name);

	return name[0] != '.' && !strncasecmp(base, name, n) && base[n] == '.' && base[n + 1];
}

char *output_apart(const char *pattern, const char *mark)
{
	const char *name = text_basename(pattern);
	const char *end = name + strlen(name), *dot = strrchr(name, '.'), *before = dot;
	char *apart;
	int r;

	if (!dot || dot == name)
		dot = end;
	/* A suffix may have two words, such as ".pb.gz". */
	while (dot < end && before > name && *--before != '.')
		;
	if (dot < end && before > name && is_word(before + 1, dot))
		dot = before;
	/* @mark goes behind "gmon.out.7", and in front of "gmon.out": both stay whole. */
	if (strncmp(dot, ".out.", 5) == 0 && !isalpha((unsigned char)dot[5]))
		r = asprintf(&apart, "%s.%s", pattern, mark);
	else if (strcmp(dot, ".out") == 0)
		r = asprintf(&apart, "%.*s%s.%s", (int)(name - pattern), pattern, mark, name);
	else
		r = asprintf(&apart, "%.*s.%s%s", (int)(dot - pattern), pattern, mark, dot);
	return r < 0 ? NULL : apart;
}

/* Does @pattern contain the conversion %@what? The "%p" in "%%p" is not one. */
static bool has(const char *pattern, char what)
{
	for (const char *p = pattern; *p; p++) {
		if (*p == '%' && p[1] && *++p == what)
			return true;
	}
	return false;
}

char *output_timed(const char *pattern)
{
	return has(pattern, 't') ? strdup(pattern) : output_apart(pattern, "%t");
}

bool output_is_timed(const char *pattern)
{
	const char *slash = strrchr(pattern, '/');

	return has(slash ? slash + 1 : pattern, 't');
}

/* A process chooses its name: '/', control characters and a leading '-', '.' or '~' become '_'. */
static void put_name(FILE *out, const char *name, bool is_first)
{
	for (const char *p = name; *p; p++) {
		bool is_bad = (unsigned char)*p < ' ' || *p == '\x7f' || *p == '/' ||
			(is_first && p == name && (*p == '-' || *p == '.' || *p == '~'));

		(void)fputc(is_bad ? '_' : *p, out);
	}
}

/* Writes the value of %@what. @is_first: the value begins the name of a file or folder. */
static void put_value(FILE *out, char what, const struct output_facts *facts, bool is_first)
{
	char stamp[32];
	struct tm tm;

	switch (what) {
	case 'p': (void)fprintf(out, "%u", facts->pid); break;
	case 'n': put_name(out, facts->name, is_first); break;
	case 't':
		if (localtime_r(&facts->time, &tm) &&
			strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm))
			(void)fputs(stamp, out);
		if (facts->number > 1)
			(void)fprintf(out, "_%u", facts->number);
		break;
	case 'r': (void)fputs(facts->rank, out); break;
	case '%': (void)fputc('%', out); break;
	default:
		(void)fputc('%', out);
		(void)fputc(what, out);
		break;
	}
}

/* Like output_name(), but leaves the conversions in @kept as they are. */
static int fill(
	const char *pattern, const struct output_facts *facts, const char *kept, char **ret_name)
{
	char *name = NULL;
	size_t bytes;
	FILE *out = open_memstream(&name, &bytes);
	bool failed;

	if (!out)
		return -ENOMEM;
	for (const char *p = pattern; *p; p++) {
		if (*p == '%' && p[1] && strchr(kept, p[1])) {
			(void)fprintf(out, "%%%c", *++p);
		} else if (*p == '%' && p[1]) {
			bool is_first = p == pattern || p[-1] == '/';

			put_value(out, *++p, facts, is_first);
		} else {
			(void)fputc(*p, out);
		}
	}
	failed = ferror(out);
	if (fclose(out) != 0 || failed) {
		free(name);
		return -ENOMEM;
	}
	*ret_name = name;
	return 0;
}

int output_name(const char *pattern, const struct output_facts *facts, char **ret_name)
{
	return fill(pattern, facts, "", ret_name);
}

int output_series(const char *pattern, const struct output_facts *facts, char **ret_series)
{
	return fill(pattern, facts, "t%", ret_series);
}
