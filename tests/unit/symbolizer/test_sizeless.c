/* SPDX-License-Identifier: MIT */
/* A symbol without a size names its own code, but not the nameless functions behind it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "symbolizer/symbolizer.h"

enum { FROM = 0x1000, BYTES = 0x400 };

static void test_sizeless__names_no_other_function(void **state)
{
	const struct symbolizer_options options = {
		.size = sizeof(options), .debug_directories = "/nonexistent"};
	static struct frame_chain chain[BYTES];
	static struct code_location place[BYTES];
	struct symbolizer *symbolizer;
	struct space *space;
	size_t named = 0, unnamed = 0;

	(void)state;
	assert_int_equal(symbolizer_new(&options, &symbolizer), 0);
	assert_int_equal(space_new(symbolizer, 0, &space), 0);
	assert_int_equal(space_set_file(space, getenv("SIZELESS")), 0);
	for (size_t i = 0; i < BYTES; i++)
		(void)space_find(space, FROM + i, &place[i]);
	assert_int_equal(symbolizer_resolve(symbolizer, place, BYTES, chain), 0);
	for (size_t i = 0; i < BYTES; i++) {
		named += chain[i].n && strcmp(chain[i].frame[0].function, "sizeless_label") == 0;
		unnamed += chain[i].n && chain[i].frame[0].unnamed;
	}
	/* One instruction, and 15 bytes of padding at most before each of two functions. */
	assert_in_range(named, 1, 31);
	assert_true(unnamed > 32);
	space_free(space);
	symbolizer_free(symbolizer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizeless__names_no_other_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
