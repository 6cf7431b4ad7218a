/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/profile_fixture.h"
#include "view/report.h"

/* 290 samples came through and 337 were lost: 337 of 627. Of the 290, 29 have no name. */
static void test_audit_line__what_was_lost_is_a_part_of_what_was_sampled(void **state)
{
	struct profile *profile = fixture_profile();
	char *text = NULL;
	size_t bytes = 0;
	FILE *out;

	(void)state;
	assert_int_equal(profile_set_audit(profile, "samples", 290), 0);
	assert_int_equal(profile_set_audit(profile, "lost_samples", 337), 0);
	assert_int_equal(profile_set_audit(profile, "unresolved_samples", 29), 0);
	out = open_memstream(&text, &bytes);
	assert_non_null(out);
	report_audit_line(profile, out);
	assert_int_equal(fclose(out), 0);
	assert_non_null(strstr(text, "lost samples 337 (53.7 %)"));
	assert_non_null(strstr(text, "unresolved 29 (10.0 %)"));
	free(text);
	profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_audit_line__what_was_lost_is_a_part_of_what_was_sampled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
