/* SPDX-License-Identifier: MIT */
/* Bytes of a stack that the analyst requests, given how many the last stacks needed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyst/stack_need.h"
#include "proto/request.h"

#define KIB UINT64_C(1024)

static void test_stack_need__is_what_was_used_and_a_reserve(void **state)
{
	struct stack_need need = {0};

	(void)state;
	assert_int_equal(stack_need_note(&need, 1 * KIB, 64 * KIB, false), 8 * KIB);
	/* For the same length, or a little more, no request is sent. */
	for (unsigned i = 0; i < 1000; i++)
		assert_int_equal(stack_need_note(&need, (1 + i % 2) * KIB, 8 * KIB, false), 0);
	/* 6 KiB are needed, 3 + 4 KiB are the reserve; the sum is rounded up to 16 KiB. */
	assert_int_equal(stack_need_note(&need, 6 * KIB, 8 * KIB, false), 16 * KIB);
	assert_int_equal(stack_need_note(&need, 1 * KIB, 16 * KIB, false), 0);
}

static void test_stack_need__one_that_was_cut_is_copied_further(void **state)
{
	struct stack_need need = {0};

	(void)state;
	assert_int_equal(stack_need_note(&need, 63 * KIB, 64 * KIB, true), 256 * KIB);
	/* The next stack was copied before the supervisor got the request: no second request. */
	assert_int_equal(stack_need_note(&need, 63 * KIB, 64 * KIB, true), 0);
	assert_int_equal(stack_need_note(&need, 255 * KIB, 256 * KIB, true), 1024 * KIB);
	/* Requests end even if --max-stack allows less than they ask for. */
	for (unsigned i = 0; i < 10; i++)
		(void)stack_need_note(&need, 0, need.requested, true);
	assert_int_equal(need.requested, REQUEST_STACK_MOST);
	assert_int_equal(stack_need_note(&need, 0, REQUEST_STACK_MOST, true), 0);
}

static void test_stack_need__falls_slowly(void **state)
{
	struct stack_need need = {0};
	unsigned requests = 0, n = 0;

	(void)state;
	(void)stack_need_note(&need, 63 * KIB, 64 * KIB, true);
	while (need.requested > 16 * KIB && n++ < 1000)
		requests += stack_need_note(&need, 1 * KIB, need.requested, false) > 0;
	assert_in_range(n, 100, 400);
	assert_in_range(requests, 1, 3);
	/* A deep stack now and then keeps the request large enough for it. */
	for (n = 0; n < 1000; n++)
		assert_int_equal(
			stack_need_note(&need, n % 50 ? KIB : 100 * KIB, 256 * KIB, false) > 0,
			n == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stack_need__is_what_was_used_and_a_reserve),
		cmocka_unit_test(test_stack_need__one_that_was_cut_is_copied_further),
		cmocka_unit_test(test_stack_need__falls_slowly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
