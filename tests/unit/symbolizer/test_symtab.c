/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "symbolizer/symtab.h"

static void add(
	struct symtab *symtab, uint64_t svma, uint64_t bytes, const char *name, uint32_t rank)
{
	const struct symbol symbol = {
		.svma = svma, .bytes = bytes, .limit = 1000, .name = name, .rank = rank};

	assert_int_equal(symtab_add_symbol(symtab, &symbol), 0);
}

static const char *name_at(const struct symtab *symtab, uint64_t svma)
{
	const struct symbol *symbol = symtab_find(symtab, svma);

	return symbol ? symbol->name : "none";
}

static void test_symtab__finds_what_covers_the_address(void **state)
{
	struct symtab symtab = {0};

	(void)state;
	add(&symtab, 300, 100, "outer", 1);
	add(&symtab, 310, 10, "inner", 1);
	add(&symtab, 100, 50, "first", 1);
	symtab_seal(&symtab);
	assert_string_equal(name_at(&symtab, 99), "none");
	assert_string_equal(name_at(&symtab, 100), "first");
	assert_string_equal(name_at(&symtab, 149), "first");
	assert_string_equal(name_at(&symtab, 150), "none");
	assert_string_equal(name_at(&symtab, 309), "outer");
	assert_string_equal(name_at(&symtab, 310), "inner");
	assert_string_equal(name_at(&symtab, 320), "outer");
	assert_string_equal(name_at(&symtab, 400), "none");
	symtab_release(&symtab);
}

static void test_symtab__stretches_symbols_without_size(void **state)
{
	struct symtab symtab = {0};

	(void)state;
	add(&symtab, 100, 0, "label", 1);
	add(&symtab, 200, 10, "sized", 1);
	add(&symtab, 900, 0, "last", 1);
	symtab_seal(&symtab);
	assert_string_equal(name_at(&symtab, 199), "label");
	assert_string_equal(name_at(&symtab, 200), "sized");
	assert_string_equal(name_at(&symtab, 210), "none");
	/* The last label reaches to the end of the section. */
	assert_string_equal(name_at(&symtab, 999), "last");
	assert_string_equal(name_at(&symtab, 1000), "none");
	symtab_release(&symtab);
}

/* As in V8's Builtins_JSConstructStubGeneric. Functions without size, and sized labels, count. */
static void test_symtab__leaves_out_labels_inside_a_function(void **state)
{
	const uint32_t function = 1 << 7, label = 0;
	struct symtab symtab = {0};

	(void)state;
	add(&symtab, 100, 100, "outer", function);
	add(&symtab, 120, 0, "label", label);
	add(&symtab, 140, 0, "inner", function);
	add(&symtab, 150, 10, "sized", label);
	add(&symtab, 200, 0, "behind", label);
	symtab_seal(&symtab);
	assert_string_equal(name_at(&symtab, 130), "outer");
	assert_string_equal(name_at(&symtab, 145), "inner");
	assert_string_equal(name_at(&symtab, 155), "sized");
	assert_string_equal(name_at(&symtab, 170), "outer");
	assert_string_equal(name_at(&symtab, 210), "behind");
	symtab_release(&symtab);
}

static void test_symtab__cuts_sizes_at_the_section(void **state)
{
	struct symtab symtab = {0};

	(void)state;
	add(&symtab, 990, UINT64_MAX, "huge", 1);
	symtab_seal(&symtab);
	assert_string_equal(name_at(&symtab, 999), "huge");
	assert_string_equal(name_at(&symtab, 1000), "none");
	assert_string_equal(name_at(&symtab, UINT64_MAX), "none");
	symtab_release(&symtab);
}

static void test_symtab__of_aliases_takes_the_highest_rank(void **state)
{
	struct symtab symtab = {0};

	(void)state;
	add(&symtab, 100, 0, "z_known", 9);
	add(&symtab, 100, 40, "a_local", 2);
	add(&symtab, 100, 40, "b_local", 2);
	symtab_seal(&symtab);
	assert_int_equal(symtab.n, 1);
	assert_string_equal(name_at(&symtab, 100), "z_known");
	/* "z_known" has no size, but the highest rank: it names the 40 bytes of its aliases. */
	assert_string_equal(name_at(&symtab, 139), "z_known");
	assert_string_equal(name_at(&symtab, 140), "none");
	symtab_release(&symtab);
}

static void test_symtab__is_empty_without_symbols(void **state)
{
	struct symtab symtab = {0};

	(void)state;
	symtab_seal(&symtab);
	assert_null(symtab_find(&symtab, 0));
	symtab_release(&symtab);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symtab__finds_what_covers_the_address),
		cmocka_unit_test(test_symtab__stretches_symbols_without_size),
		cmocka_unit_test(test_symtab__leaves_out_labels_inside_a_function),
		cmocka_unit_test(test_symtab__cuts_sizes_at_the_section),
		cmocka_unit_test(test_symtab__of_aliases_takes_the_highest_rank),
		cmocka_unit_test(test_symtab__is_empty_without_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
