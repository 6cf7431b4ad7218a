/* SPDX-License-Identifier: MIT */
#include "analyst/output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *output_rank(void)
{
	static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
		"MV2_COMM_WORLD_RANK", "SLURM_PROCID"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *rank = getenv(names[i]);

		if (rank && rank[0] && strspn(rank, "0123456789") == strlen(rank))
			return rank;
	}
	return "0";
}

static void put_value(FILE *out, char what, const struct output_facts *facts)
{
	char stamp[32];
	struct tm tm;

	switch (what) {
	case 'p': (void)fprintf(out, "%u", facts->pid); break;
	case 'n':
		for (const char *p = facts->name; *p; p++)
			(void)fputc(*p == '/' ? '_' : *p, out);
		break;
	case 't':
		if (localtime_r(&facts->time, &tm) &&
			strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &tm))
			(void)fputs(stamp, out);
		break;
	case 'r': (void)fputs(facts->rank, out); break;
	case '%': (void)fputc('%', out); break;
	default:
		(void)fputc('%', out);
		(void)fputc(what, out);
		break;
	}
}

int output_name(const char *pattern, const struct output_facts *facts, char **ret_name)
{
	char *name = NULL;
	size_t bytes;
	FILE *out = open_memstream(&name, &bytes);
	bool failed;

	if (!out)
		return -ENOMEM;
	for (const char *p = pattern; *p; p++) {
		if (*p == '%' && p[1])
			put_value(out, *++p, facts);
		else
			(void)fputc(*p, out);
	}
	failed = ferror(out);
	if (fclose(out) != 0 || failed) {
		free(name);
		return -ENOMEM;
	}
	*ret_name = name;
	return 0;
}
