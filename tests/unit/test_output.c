/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyst/output.h"

static void name_is(const char *pattern, const char *wanted)
{
	const struct output_facts facts = {.pid = 42, .name = "a/b", .time = 0, .rank = "3"};
	char *name;

	assert_int_equal(output_name(pattern, &facts, &name), 0);
	assert_string_equal(name, wanted);
	free(name);
}

static void test_output__names(void **state)
{
	(void)state;
	assert_int_equal(setenv("TZ", "UTC", 1), 0);
	name_is("plain.pb.gz", "plain.pb.gz");
	name_is("x-%p-%n-%r-%%-%t", "x-42-a_b-3-%-19700101-000000");
	name_is("100%", "100%");
	name_is("%x%", "%x%");
	name_is("", "");
}

static void test_output__rank_of_the_usual_launchers(void **state)
{
	(void)state;
	assert_int_equal(unsetenv("OMPI_COMM_WORLD_RANK"), 0);
	assert_int_equal(unsetenv("SLURM_PROCID"), 0);
	assert_string_equal(output_rank(), "0");
	assert_int_equal(setenv("SLURM_PROCID", "17", 1), 0);
	assert_string_equal(output_rank(), "17");
	assert_int_equal(setenv("SLURM_PROCID", "../x", 1), 0);
	assert_string_equal(output_rank(), "0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_output__names),
		cmocka_unit_test(test_output__rank_of_the_usual_launchers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
