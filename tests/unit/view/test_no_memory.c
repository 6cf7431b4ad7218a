/* SPDX-License-Identifier: MIT */
/* Every allocation fails once: the result must be -ENOMEM, without leaks (LeakSanitizer). */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "profile/pprof.h"
#include "tests/unit/no_memory.h"
#include "tests/unit/profile_fixture.h"
#include "view/export/export.h"
#include "view/report/report.h"

typedef int attempt(const struct profile *profile);

static int attempt_file(const struct profile *profile)
{
	struct profile *back = NULL;
	uint8_t *data;
	size_t bytes;
	int error = pprof_write(profile, &data, &bytes);

	if (error < 0)
		return error;
	error = pprof_read(data, bytes, &back, NULL);
	free(data);
	if (error >= 0)
		profile_free(back);
	return error;
}

static int attempt_merge(const struct profile *profile)
{
	struct profile *sum;
	int error = profile_new(&sum);

	if (error < 0)
		return error;
	error = profile_merge(sum, profile);
	profile_free(sum);
	return error;
}

static int attempt_report(
	const struct profile *profile, const char *name, enum report_format format)
{
	struct report_options options = {.size = sizeof(options),
		.format = format,
		.split = REPORT_SPLIT_THREAD,
		.focus = ".",
		.function = "main",
		.width = 60};
	FILE *out = fopen("/dev/null", "w");
	char *problem = NULL;
	int error;

	assert_non_null(out);
	error = report_find(name)->print(profile, &options, out, &problem);
	assert_null(problem);
	assert_int_equal(fclose(out), 0);
	return error;
}

static int attempt_text(const struct profile *profile)
{
	return attempt_report(profile, "lines", REPORT_TEXT);
}

static int attempt_sheet(const struct profile *profile)
{
	return attempt_report(profile, "flat", REPORT_JSON);
}

static int attempt_summary(const struct profile *profile)
{
	return attempt_report(profile, "summary", REPORT_TEXT);
}

static int attempt_tree(const struct profile *profile)
{
	return attempt_report(profile, "tree", REPORT_TEXT);
}

static int attempt_callers(const struct profile *profile)
{
	return attempt_report(profile, "callers", REPORT_TEXT);
}

static int attempt_export(const struct profile *profile, const char *path)
{
	struct report_options options = {.size = sizeof(options), .split = REPORT_SPLIT_PROCESS};
	char *data, *problem = NULL;
	size_t bytes;
	int error = export_for_file(path, profile, &options, &data, &bytes, &problem);

	assert_null(problem);
	if (!error)
		free(data);
	return error;
}

static int attempt_folded(const struct profile *profile)
{
	return attempt_export(profile, "x.folded");
}

static int attempt_svg(const struct profile *profile)
{
	return attempt_export(profile, "x.svg");
}

static int attempt_speedscope(const struct profile *profile)
{
	return attempt_export(profile, "x.speedscope.json");
}

static int attempt_firefox(const struct profile *profile)
{
	return attempt_export(profile, "x.firefox.json");
}

static int attempt_callgrind(const struct profile *profile)
{
	return attempt_export(profile, "callgrind.out");
}

static int attempt_gmon(const struct profile *profile)
{
	return attempt_export(profile, "gmon.out");
}

static int attempt_perf_script(const struct profile *profile)
{
	return attempt_export(profile, "x.perf");
}

static int attempt_diff(const struct profile *profile)
{
	struct profile *side[] = {(struct profile *)(uintptr_t)profile};
	const char *name[] = {"a"};
	const struct report_sides sides = {
		.profile = {side, side}, .name = {name, name}, .n = {1, 1}};
	struct report_options options = {.size = sizeof(options), .format = REPORT_TSV};
	char *problem = NULL;
	int error;
	FILE *out = fopen("/dev/null", "w");

	if (!out)
		return -ENOMEM;
	error = report_find("diff")->print_sides(&sides, &options, out, &problem);
	assert_null(problem);
	(void)fclose(out);
	return error;
}

/* A library may go on without the memory: success and -ENOMEM are both right. */
static void fail_each_allocation(attempt *try, unsigned long least)
{
	struct profile *profile = fixture_profile();
	unsigned long failed = 0;

	for (unsigned long n = 1;; n++) {
		bool reached;
		int error;

		until_failure = n;
		error = try(profile);
		reached = until_failure == 0;
		until_failure = 0;
		if (!reached) {
			assert_int_equal(error, 0);
			break;
		}
		if (error) {
			assert_int_equal(error, -ENOMEM);
			failed++;
		}
	}
	assert_true(failed >= least);
	profile_free(profile);
}

static void test_no_memory__for_the_file(void **state)
{
	(void)state;
	fail_each_allocation(attempt_file, 20);
}

static void test_no_memory__for_a_merge(void **state)
{
	(void)state;
	fail_each_allocation(attempt_merge, 20);
}

static void test_no_memory__for_reports(void **state)
{
	(void)state;
	fail_each_allocation(attempt_text, 20);
	fail_each_allocation(attempt_sheet, 10);
	fail_each_allocation(attempt_summary, 10);
	fail_each_allocation(attempt_tree, 20);
	fail_each_allocation(attempt_callers, 20);
}

static void test_no_memory__for_exports(void **state)
{
	(void)state;
	fail_each_allocation(attempt_folded, 20);
	fail_each_allocation(attempt_svg, 20);
	fail_each_allocation(attempt_speedscope, 10);
	fail_each_allocation(attempt_firefox, 20);
	fail_each_allocation(attempt_callgrind, 10);
	fail_each_allocation(attempt_gmon, 10);
	fail_each_allocation(attempt_perf_script, 5);
	fail_each_allocation(attempt_diff, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_memory__for_the_file),
		cmocka_unit_test(test_no_memory__for_a_merge),
		cmocka_unit_test(test_no_memory__for_reports),
		cmocka_unit_test(test_no_memory__for_exports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
