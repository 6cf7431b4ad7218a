/* SPDX-License-Identifier: MIT */
/* What a build without libiberty, liblzma and capstone does in their place. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/pool.h"
#include "symbolizer/base/budget.h"
#include "symbolizer/demangle.h"
#include "symbolizer/elfimage.h"
#include "symbolizer/minidebug.h"
#include "tools/inspector/instructions.h"

static void test_without__names_stay_mangled(void **state)
{
	static const char *const names[][2] = {{"_ZN4nest5innerEi", "_ZN4nest5innerEi"},
		{"_ZN4nest5innerEi.cold", "_ZN4nest5innerEi"}, {"_Z1fv@plt", "_Z1fv@plt"}};
	struct pool pool;

	(void)state;
	assert_int_equal(pool_init(&pool), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_string_equal(
			demangle_name(&pool, pool_intern_text(&pool, names[i][0])), names[i][1]);
	pool_release(&pool);
}

static void test_without__the_missing_library_is_named(void **state)
{
	struct code_location nowhere = {0};
	char *text = NULL, *problem = NULL;
	struct elfimage image = {0};
	struct budget budget = {0};

	(void)state;
	assert_int_equal(minidebug_unpack((const uint8_t *)"", 0, &budget, &image), -ENOTSUP);
	assert_int_equal(instructions_print(&nowhere, 0, "program", &text, &problem), -ENOTSUP);
	assert_non_null(problem);
	assert_non_null(strstr(problem, "(Debian: libcapstone-dev)"));
	free(problem);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without__names_stay_mangled),
		cmocka_unit_test(test_without__the_missing_library_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
