/* SPDX-License-Identifier: MIT */
/* Memory that the symbols of a file may take, and allocations that fail. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "symbolizer/base/budget.h"
#include "symbolizer/dwarf/linescan.h"
#include "symbolizer/symbolizer.h"
#include "tests/unit/no_memory.h"

#define MIB (UINT64_C(1) << 20)

static void test_budget__is_in_proportion_to_the_file(void **state)
{
	struct budget all, file;

	(void)state;
	budget_init_all(&all, NULL);
	budget_init(&file, &all);
	assert_true(budget_take(&file, 64 * MIB));
	budget_admit(&file, 1 * MIB);
	assert_true(budget_take(&file, 32 * MIB));
	assert_int_equal(all.used, 96 * MIB);
	assert_false(file.over);
	assert_false(budget_take(&file, 1));
	assert_true(file.over);
	/* A file over its budget stays over it; other files are not affected. */
	budget_admit(&file, 1 * MIB);
	assert_false(budget_take(&file, 1));
	budget_init(&file, &all);
	assert_true(budget_take(&file, 1));
	assert_true(budget_take(NULL, UINT64_MAX));
	assert_false(budget_fits(&file, UINT64_MAX));
}

static void test_budget__of_all_files_together(void **state)
{
	struct budget all, file;
	unsigned files = 0;

	(void)state;
	budget_init_all(&all, NULL);
	do
		budget_init(&file, &all);
	while (budget_take(&file, 64 * MIB) && ++files < 1000);
	assert_in_range(files, 8, 128);
	assert_false(all.over);
}

static void test_budget__sections_inflate_as_far_as_they_are_honest(void **state)
{
	struct budget file;

	(void)state;
	budget_init(&file, NULL);
	budget_admit(&file, 4 * MIB);
	/* A section may inflate to 16 MiB (INFLATION_FREE), however small it is compressed. */
	assert_true(budget_inflate(&file, 1000, 16 * MIB));
	assert_true(budget_inflate(&file, 2 * MIB, 64 * MIB));
	assert_false(budget_inflate(&file, MIB / 4, 64 * MIB));
	assert_true(file.over);
}

/* DWARF 4: no folders, file "a"; rows by a special opcode, copy, end_sequence. */
static const uint8_t table4[] = {36, 0, 0, 0, 4, 0, 25, 0, 0, 0, 1, 1, 1, 1, 14, 13, 0, 1, 1, 1, 1,
	0, 0, 0, 1, 0, 0, 1, 0, 'a', 0, 0, 0, 0, 0, 27, 1, 0, 1, 1};
/* DWARF 5: no folders, and 2^28 files that take no bytes by their format. */
static const uint8_t table5[] = {26, 0, 0, 0, 5, 0, 8, 0, 18, 0, 0, 0, 1, 1, 1, 1, 14, 4, 0, 1, 1,
	0, 0, 0, 0x80, 0x80, 0x80, 0x80, 1, 0};

static void test_budget__line_tables_are_counted_first(void **state)
{
	struct slice section = {table4, sizeof(table4)};
	struct linescan scan;

	(void)state;
	assert_int_equal(linescan_table(section, 0, &scan), 0);
	assert_int_equal(scan.rows, 3);
	assert_false(scan.sets_file_0);
	assert_int_equal(scan.names, 25);
	assert_int_equal(linescan_table(section, 1, &scan), -EINVAL);
	for (section.bytes = 0; section.bytes < sizeof(table4); section.bytes++)
		assert_int_equal(linescan_table(section, 0, &scan), -EINVAL);
	section = (struct slice){table5, sizeof(table5)};
	assert_int_equal(linescan_table(section, 0, &scan), -EINVAL);
}

static void resolve_self(unsigned long failing, int *ret_error, char problem[512])
{
	static char maps[1 << 16];
	const struct symbolizer_options options = {.size = sizeof(options)};
	struct symbolizer *symbolizer;
	struct space *space;
	struct code_location place;
	struct frame_chain chain = {0};
	struct module_info info;
	FILE *file = fopen("/proc/self/maps", "r");
	size_t bytes = file ? fread(maps, 1, sizeof(maps), file) : 0;

	(void)fclose(file);
	assert_int_equal(symbolizer_new(&options, &symbolizer), 0);
	assert_int_equal(space_new(symbolizer, (int)getpid(), &space), 0);
	assert_true(space_set_maps(space, maps, bytes) >= 0);
	assert_true(space_find(space, (uint64_t)(uintptr_t)resolve_self, &place));
	until_failure = failing;
	*ret_error = symbolizer_resolve(symbolizer, &place, 1, &chain);
	module_describe(place.module, place.svma, &info);
	(void)snprintf(problem, 512, "%s", info.problem);
	if (*ret_error == 0 && info.blamed)
		assert_non_null(strstr(info.problem, "not enough memory"));
	if (until_failure)
		assert_string_equal(chain.frame[0].function, "resolve_self");
	space_free(space);
	symbolizer_free(symbolizer);
}

static void test_budget__without_memory_the_file_is_blamed(void **state)
{
	char problem[512];
	unsigned blamed = 0;
	int error;

	(void)state;
	for (unsigned long n = 1; n < 10000; n++) {
		resolve_self(n, &error, problem);
		assert_true(error == 0 || error == -ENOMEM);
		blamed += error == 0 && strstr(problem, "not enough memory");
		if (until_failure)
			break;
	}
	assert_int_not_equal(until_failure, 0);
	until_failure = 0;
	assert_true(blamed >= 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_budget__is_in_proportion_to_the_file),
		cmocka_unit_test(test_budget__of_all_files_together),
		cmocka_unit_test(test_budget__sections_inflate_as_far_as_they_are_honest),
		cmocka_unit_test(test_budget__line_tables_are_counted_first),
		cmocka_unit_test(test_budget__without_memory_the_file_is_blamed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
