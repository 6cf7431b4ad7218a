/* SPDX-License-Identifier: MIT */
#ifndef TESTS_EXPORT_FIXTURE_H
#define TESTS_EXPORT_FIXTURE_H

#include "tests/unit/stacks_fixture.h"
#include "view/export/export.h"

/* noinline: gcc 12 would otherwise take the result for a dangling pointer to @data. */
__attribute__((noinline, unused)) static char *export(const struct profile *profile,
	const char *format, const struct report_options *options, size_t *ret_bytes)
{
	char *data = NULL, *problem = NULL;
	FILE *out = open_memstream(&data, ret_bytes);

	assert_non_null(out);
	assert_int_equal(export_find(format)->write(profile, options, out, &problem), 0);
	assert_null(problem);
	assert_int_equal(fclose(out), 0);
	return data;
}

static inline size_t count(const char *text, const char *word)
{
	size_t n = 0;

	for (const char *p = strstr(text, word); p; p = strstr(p + 1, word))
		n++;
	return n;
}

#endif
