/* SPDX-License-Identifier: MIT */
/* Code and methods that others replaced, in memory of tests/made_hotspot.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/made_hotspot.h"

static struct unwind_runtime_frame frame_at(uint64_t pc, uint64_t sp, uint64_t fp, bool exact)
{
	return (struct unwind_runtime_frame){.pc = pc, .sp = sp, .fp = fp, .exact = exact};
}

/* Replaced code is noticed within 2 s. Until then, known code is not read again. */
static void test_hotspot_code__replaced_code(void **state)
{
	struct made *m = made_new(17);
	struct unwind_runtime_caller caller;
	size_t served;

	(void)state;
	assert_int_equal(made_step(m, frame_at(CODE + 32, STACK(0), 0, false), &caller), 1);
	served = m->served;
	assert_int_equal(made_step(m, frame_at(CODE + 32, STACK(0), 0, false), &caller), 1);
	assert_int_equal(m->served, served);
	made_put(m, MADE_COMPILED + MADE_HEADER + 80, AT(MADE_INNER), 8);
	made_put(m, MADE_COMPILED + MADE_HEADER + MADE_COMPILED_DEBUG, AT(MADE_INNER), 8);
	made_put(m, MADE_COMPILED + MADE_HEADER + 136, 78, 4);
	m->hotspot.now_ns += UINT64_C(2000000000);
	m->now_ns = m->hotspot.now_ns;
	assert_int_equal(made_step(m, frame_at(CODE + 32, STACK(0), 0, false), &caller), 1);
	assert_string_equal(made_text(m, caller.tag), "p.Inner.inner p/Inner.java:10");
	made_free(m);
}

/* A class was unloaded, and another one's parts took its addresses. */
static void test_hotspot_code__another_class_at_the_same_addresses(void **state)
{
	const uint64_t pc = AT(MADE_INTERPRETER) + MADE_HEADER + 0x100;
	struct made *m = made_new(25);
	struct unwind_runtime_frame interpreted = frame_at(pc, STACK(2), STACK(20), false);
	struct unwind_runtime_caller caller;

	(void)state;
	m->stack[19] = STACK(24);
	m->stack[17] = AT(MADE_OUTER);
	m->stack[12] = AT(MADE_OUTER) + 0x80 + 48;
	assert_int_equal(made_step(m, interpreted, &caller), 1);
	assert_string_equal(made_text(m, caller.tag), "p.Outer.outer p/Outer.java:10");
	(void)made_symbol(m, MADE_OUTER + 0x280, "other");
	m->hotspot.now_ns += 10000000;
	m->now_ns = m->hotspot.now_ns;
	assert_int_equal(made_step(m, interpreted, &caller), 1);
	assert_string_equal(made_text(m, caller.tag), "p.Outer.outer p/Outer.java:10");
	/* New code is read with its methods. One replaced a known one: others may be gone, too. */
	assert_int_equal(made_step(m, frame_at(CODE + 32, STACK(0), 0, false), &caller), 1);
	assert_string_equal(made_text(m, caller.tag), "p.Outer.other p/Outer.java:10");
	assert_int_equal(made_step(m, interpreted, &caller), 1);
	assert_string_equal(made_text(m, caller.tag), "p.Outer.other p/Outer.java:10");
	/* Without new code, the change is noticed after 2 s. */
	(void)made_symbol(m, MADE_OUTER + 0x280, "third");
	m->hotspot.now_ns += UINT64_C(2100000000);
	m->now_ns = m->hotspot.now_ns;
	assert_int_equal(made_step(m, interpreted, &caller), 1);
	assert_string_equal(made_text(m, caller.tag), "p.Outer.third p/Outer.java:10");
	made_free(m);
}

static void test_hotspot_code__replaced_code_has_neighbours(void **state)
{
	const uint64_t stub = AT(MADE_FRAME) + MADE_HEADER + 0x90;
	struct made *m = made_new(17);
	struct unwind_runtime_caller caller;
	size_t served;

	(void)state;
	assert_int_equal(made_step(m, frame_at(stub, STACK(0), 0, false), &caller), 1);
	assert_int_equal(made_step(m, frame_at(CODE + 32, STACK(0), 0, false), &caller), 1);
	m->hotspot.now_ns += 10000000;
	m->now_ns = m->hotspot.now_ns;
	served = m->served;
	assert_int_equal(made_step(m, frame_at(stub, STACK(0), 0, false), &caller), 1);
	assert_int_equal(m->served, served);
	made_put(m, MADE_COMPILED + MADE_HEADER + 136, 78, 4);
	assert_int_equal(made_step(m, frame_at(CODE + 30, STACK(0), 0, false), &caller), 1);
	served = m->served;
	assert_int_equal(made_step(m, frame_at(stub, STACK(0), 0, false), &caller), 1);
	assert_int_not_equal(m->served, served);
	made_free(m);
}

/* Known code without debug information at a return address may have been replaced. */
static void test_hotspot_code__code_that_does_not_fit_is_looked_at_now(void **state)
{
	struct made *m = made_new(17);
	struct unwind_runtime_caller caller;
	size_t served;

	(void)state;
	assert_int_equal(made_step(m, frame_at(CODE + 32, STACK(0), 0, false), &caller), 1);
	made_put(m, MADE_COMPILED + MADE_HEADER + 80, AT(MADE_INNER), 8);
	made_put(m, MADE_COMPILED + MADE_HEADER + MADE_COMPILED_DEBUG, AT(MADE_INNER), 8);
	made_put(m, MADE_COMPILED + MADE_HEADER + 136, 78, 4);
	m->hotspot.now_ns += 10000000;
	m->now_ns = m->hotspot.now_ns;
	assert_int_equal(made_step(m, frame_at(CODE + 32, STACK(0), 0, false), &caller), 1);
	assert_string_equal(made_text(m, caller.tag), "p.Outer.outer p/Outer.java:10");
	assert_int_equal(made_step(m, frame_at(CODE + 30, STACK(0), 0, false), &caller), 1);
	assert_string_equal(made_text(m, caller.tag), "p.Inner.inner p/Inner.java:10");
	/* The same sample does not cause a second read. */
	served = m->served;
	assert_int_equal(made_step(m, frame_at(CODE + 30, STACK(0), 0, false), &caller), 1);
	assert_int_equal(m->served, served);
	made_free(m);
}

static void test_hotspot_code__where_there_is_no_code(void **state)
{
	struct made *m = made_new(17);
	struct unwind_runtime_caller caller;

	(void)state;
	assert_int_equal(made_step(m, frame_at(0x4000, STACK(0), 0, true), &caller), 0);
	assert_int_equal(
		made_step(m, frame_at(AT(MADE_CODE_END) - 8, STACK(0), 0, true), &caller), 0);
	/* a free block of the code cache */
	made_put(m, MADE_FRAME + 8, 0, 1);
	assert_int_equal(
		made_step(m, frame_at(AT(MADE_FRAME) + 0x90, STACK(0), 0, true), &caller), 0);
	made_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hotspot_code__replaced_code),
		cmocka_unit_test(test_hotspot_code__another_class_at_the_same_addresses),
		cmocka_unit_test(test_hotspot_code__replaced_code_has_neighbours),
		cmocka_unit_test(test_hotspot_code__code_that_does_not_fit_is_looked_at_now),
		cmocka_unit_test(test_hotspot_code__where_there_is_no_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
