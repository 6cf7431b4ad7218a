/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "supervisor/output/self_audit.h"

static void test_self_audit__quantiles_are_within_a_bucket(void **state)
{
	static struct audit_histogram h;

	(void)state;
	memset(&h, 0, sizeof(h));
	assert_int_equal(audit_histogram_quantile(&h, 500), 0);
	for (uint64_t ns = 1; ns <= 100000; ns++)
		audit_histogram_add(&h, ns);
	assert_in_range(audit_histogram_quantile(&h, 500), 48000, 52000);
	assert_in_range(audit_histogram_quantile(&h, 990), 96000, 100000);
	assert_int_equal(audit_histogram_quantile(&h, 1000), 100000);
	assert_int_equal(h.max_ns, 100000);
}

static void test_self_audit__extremes_have_a_bucket(void **state)
{
	static struct audit_histogram h;

	(void)state;
	memset(&h, 0, sizeof(h));
	audit_histogram_add(&h, 0);
	audit_histogram_add(&h, 1);
	assert_int_equal(audit_histogram_quantile(&h, 500), 1);
	audit_histogram_add(&h, UINT64_MAX);
	assert_int_equal(h.max_ns, UINT64_MAX);
	assert_in_range(audit_histogram_quantile(&h, 1000), UINT64_C(1) << 39, UINT64_MAX);
}

static void test_self_audit__one_value_is_its_own_quantile(void **state)
{
	static struct audit_histogram h;

	(void)state;
	memset(&h, 0, sizeof(h));
	audit_histogram_add(&h, 20000);
	assert_in_range(audit_histogram_quantile(&h, 500), 19400, 20000);
}

static void test_self_audit__prints_lines_or_refuses(void **state)
{
	static const struct audit_histogram question = {.total = 3, .max_ns = 7};
	static struct self_audit audit = {.question = &question};
	char text[2048];

	(void)state;
	audit.stops = 7;
	audit.began_ns = 10;
	audit.ended_ns = 30;
	int bytes = self_audit_print(&audit, 5, text, sizeof(text));

	assert_true(bytes > 0);
	assert_int_equal(bytes, strlen(text));
	assert_non_null(strstr(text, "\nstops 7\n"));
	assert_non_null(strstr(text, "\nquestion_ns_max 7\n"));
	assert_non_null(strstr(text, "\nwall_ns 20\n"));
	assert_non_null(strstr(text, "\nsupervisor_cpu_ns 5\n"));
	assert_int_equal(self_audit_print(&audit, 5, text, 40), -ENOSPC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_self_audit__quantiles_are_within_a_bucket),
		cmocka_unit_test(test_self_audit__extremes_have_a_bucket),
		cmocka_unit_test(test_self_audit__one_value_is_its_own_quantile),
		cmocka_unit_test(test_self_audit__prints_lines_or_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
