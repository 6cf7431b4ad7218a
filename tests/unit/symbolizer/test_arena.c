/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/pool.h"
#include "symbolizer/base/arena.h"
#include "symbolizer/demangle.h"

static void test_arena__keeps_one_copy(void **state)
{
	struct pool pool = {0};
	const char *first[5000];
	char text[32];

	(void)state;
	for (int i = 0; i < 5000; i++) {
		(void)snprintf(text, sizeof(text), "string %d", i);
		first[i] = pool_intern(&pool, text, strlen(text));
		assert_string_equal(first[i], text);
	}
	for (int i = 0; i < 5000; i++) {
		(void)snprintf(text, sizeof(text), "string %d", i);
		assert_ptr_equal(pool_intern(&pool, text, strlen(text)), first[i]);
	}
	/* Only the given bytes count, and of these only those before a NUL. */
	assert_string_equal(pool_intern(&pool, "abcdef", 3), "abc");
	assert_string_equal(pool_intern(&pool, "abc\0def", 7), "abc");
	assert_string_equal(pool_intern(&pool, "", 0), "");
	pool_release(&pool);
}

static void test_arena__arena_gives_zeroed_memory(void **state)
{
	struct arena arena = {0};

	(void)state;
	for (size_t bytes = 1; bytes < 300000; bytes = bytes * 3 + 1) {
		uint8_t *at = arena_alloc(&arena, bytes);

		assert_non_null(at);
		assert_true(((uintptr_t)at & 15) == 0);
		for (size_t i = 0; i < bytes; i++)
			assert_int_equal(at[i], 0);
		memset(at, 0xff, bytes);
	}
	assert_null(arena_alloc(&arena, SIZE_MAX));
	arena_release(&arena);
}

static const char *shown(struct pool *pool, const char *name)
{
	return demangle_name(pool, pool_intern(pool, name, strlen(name)));
}

static void test_arena__demangle_drops_marks_of_clones(void **state)
{
	struct pool pool = {0};

	(void)state;
	assert_string_equal(shown(&pool, "f"), "f");
	assert_string_equal(shown(&pool, ""), "");
	assert_string_equal(shown(&pool, "f.constprop.0"), "f");
	assert_string_equal(shown(&pool, "crypto/sha256.block.abi0"), "crypto/sha256.block");
	assert_string_equal(shown(&pool, "f.isra.0.part.3"), "f");
	assert_string_equal(shown(&pool, "f.cold"), "f");
	assert_string_equal(shown(&pool, "f.cold.1"), "f");
	assert_string_equal(shown(&pool, "main.part"), "main.part");
	assert_string_equal(shown(&pool, "main.part.func1"), "main.part.func1");
	assert_string_equal(shown(&pool, "f.colder"), "f.colder");
	assert_string_equal(shown(&pool, "f.resolver"), "f.resolver");
	assert_string_equal(shown(&pool, "go.main.part.1"), "go.main");
	assert_string_equal(shown(&pool, ".part"), ".part");
	assert_string_equal(shown(&pool, "puts@plt"), "puts@plt");
	pool_release(&pool);
}

/* Names of the languages' documentation of their mangling. */
static void test_arena__demangles(void **state)
{
	struct pool pool = {0};

	(void)state;
	if (strcmp(shown(&pool, "_Z1fv"), "f()") != 0) {
		pool_release(&pool);
		print_message("built without libiberty\n");
		skip();
	}
	assert_string_equal(shown(&pool, "_ZN3foo3barEi"), "foo::bar(int)");
	assert_string_equal(shown(&pool, "_ZN3foo3barEi.isra.0"), "foo::bar(int)");
	assert_string_equal(shown(&pool, "_ZN3foo3barEi@plt"), "foo::bar(int)@plt");
	assert_string_equal(
		shown(&pool, "_ZN4core3fmt5write17h0123456789abcdefE"), "core::fmt::write");
	assert_string_equal(shown(&pool, "_RNvNtCs1234_7mycrate3foo3bar"), "mycrate::foo::bar");
	assert_string_equal(shown(&pool, "_D8demangle4testFZv"), "demangle.test()");
	assert_string_equal(shown(&pool, "_Z"), "_Z");
	assert_string_equal(shown(&pool, "_R"), "_R");
	assert_string_equal(shown(&pool, "_DYNAMIC"), "_DYNAMIC");
	pool_release(&pool);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arena__keeps_one_copy),
		cmocka_unit_test(test_arena__arena_gives_zeroed_memory),
		cmocka_unit_test(test_arena__demangle_drops_marks_of_clones),
		cmocka_unit_test(test_arena__demangles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
