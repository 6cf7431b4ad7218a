/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/libexec.h"

static void test_libexec__outside_of_the_prefix(void **state)
{
	char path[PATH_MAX];

	(void)state;
	assert_true(libexec_find("../layers.sh", path));
	assert_string_equal(path, SPROFIL_BIN_TO_LIBEXEC "/../layers.sh");
}

static void test_libexec__beside_the_program(void **state)
{
	char path[PATH_MAX];

	(void)state;
	assert_true(libexec_find("test_libexec", path));
	assert_string_equal(strrchr(path, '/'), "/test_libexec");
	assert_false(libexec_find("none", path));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libexec__outside_of_the_prefix),
		cmocka_unit_test(test_libexec__beside_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
