/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/profile_fixture.h"
#include "view/options.h"
#include "view/report/report.h"

static char *print(const struct profile *profile, struct report_options options)
{
	char *text = NULL, *problem = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	options.size = sizeof(options);
	assert_non_null(out);
	assert_int_equal(report_find("flat")->print(profile, &options, out, &problem), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void assert_has(
	const struct profile *profile, struct report_options options, const char *what, bool has)
{
	char *text = print(profile, options);

	if (!strstr(text, what) == has)
		fail_msg("'%s': wanted %d in:\n%s", what, has, text);
	free(text);
}

/* The worker's samples stand for 160 ms, but the kernel charged 7 ms. All threads used 404 ms. */
static void test_groups__threads_have_the_time_of_the_kernel(void **state)
{
	const struct report_options by = {.balance_by = REPORT_BY_THREAD},
				    split = {.split = REPORT_SPLIT_THREAD},
				    tsv = {.balance_by = REPORT_BY_THREAD, .format = REPORT_TSV},
				    split_tsv = {
					    .split = REPORT_SPLIT_THREAD, .format = REPORT_TSV};
	struct profile *profile = fixture_profile();
	uint32_t worker = fixture_index(
		profile_add_task(profile, &(struct task){100, 101, "demo", "worker"}));
	uint32_t demo =
		fixture_index(profile_add_task(profile, &(struct task){100, 100, "demo", "demo"}));

	(void)state;
	assert_has(profile, by, " used ", false);
	assert_has(profile, tsv, "kernel_cpu_ns", false);
	(void)profile_add_task_cpu(profile, worker, 7 * FIXTURE_MS);
	assert_has(profile, by, " used ", true);
	assert_has(profile, by, "160.00 ms       40  7.00 ms  101  worker", true);
	assert_has(profile, by, "        -  100  demo", true);
	/* The CPU time of demo, which has samples, is unknown, so the rest is, too. */
	assert_has(profile, by, "without a sample", false);
	(void)profile_add_task_cpu(profile, demo, 200 * FIXTURE_MS);
	assert_has(profile, by, "\nthreads without a sample used 197.00 ms\n", true);
	assert_has(profile, split, " used ", true);
	assert_has(profile, tsv, "\tkernel_cpu_ns\n", true);
	assert_has(profile, tsv, "101\tworker\t40\t160000000\t40\t160000000\t7000000\n", true);
	assert_has(profile, split_tsv, "\t7000000\n", true);
	profile_free(profile);
}

/* The worker used 300 of 404 ms, so it comes first, although it has 40 of 100 samples. */
static void test_groups__what_threads_have_used_orders_them(void **state)
{
	const struct report_options by = {.balance_by = REPORT_BY_THREAD},
				    tsv = {.balance_by = REPORT_BY_THREAD, .format = REPORT_TSV},
				    least = {.balance_by = REPORT_BY_THREAD, .min_percent = 45},
				    part = {.balance_by = REPORT_BY_THREAD, .object = "demo"};
	struct profile *profile = fixture_profile();
	uint32_t worker = fixture_index(
		profile_add_task(profile, &(struct task){100, 101, "demo", "worker"}));
	uint32_t demo =
		fixture_index(profile_add_task(profile, &(struct task){100, 100, "demo", "demo"}));

	(void)state;
	(void)profile_add_task_cpu(profile, worker, 300 * FIXTURE_MS);
	(void)profile_add_task_cpu(profile, demo, 104 * FIXTURE_MS);
	assert_has(
		profile, by, "     used         time             samples  tid  thread\n300", true);
	assert_has(profile, by, "40  101  worker\n104.00 ms", true);
	assert_has(profile, tsv, "\t300000000\n100\tdemo", true);
	assert_has(profile, least, "worker\n... and 1 more\n", true);
	/* An object's rows are parts of threads: not ordered by "used", the whole threads' time. */
	assert_has(profile, part, "       used  tid  thread\n", true);
	assert_has(profile, part, "104.00 ms  100  demo\n", true);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups__threads_have_the_time_of_the_kernel),
		cmocka_unit_test(test_groups__what_threads_have_used_orders_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
