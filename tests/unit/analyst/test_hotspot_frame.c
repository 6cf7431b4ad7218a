/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyst/hotspot/hotspot_frame.h"

static void test_hotspot_frame__how_much_of_it_is_there(void **state)
{
	const uint8_t begin[] = {
		0x89, 0x84, 0x24, 0, 0xc0, 0xfe, 0xff, 0x55, 0x48, 0x83, 0xec, 0x20};
	const uint8_t stored[] = {0x48, 0x81, 0xec, 0x20, 0, 0, 0, 0x48, 0x89, 0x6c, 0x24, 0x18};
	const uint8_t end[] = {0x48, 0x83, 0xc4, 0x20, 0x5d, 0x49, 0x3b, 0xa7, 0x38, 1, 0, 0, 0x0f,
		0x87, 1, 0, 0, 0, 0xc3};

	(void)state;
	assert_int_equal(hotspot_frame_at_begin(begin, 0), HOTSPOT_FRAME_NONE);
	assert_int_equal(hotspot_frame_at_begin(begin, 7), HOTSPOT_FRAME_NONE);
	assert_int_equal(hotspot_frame_at_begin(begin, 8), HOTSPOT_FRAME_POINTER);
	assert_int_equal(hotspot_frame_at_begin(begin, 12), HOTSPOT_FRAME_WHOLE);
	assert_int_equal(hotspot_frame_at_begin(stored, 7), HOTSPOT_FRAME_UNSAVED);
	assert_int_equal(hotspot_frame_at_begin(stored, 12), HOTSPOT_FRAME_WHOLE);
	assert_int_equal(hotspot_frame_at_end(end, sizeof(end)), HOTSPOT_FRAME_WHOLE);
	assert_int_equal(hotspot_frame_at_end(end + 4, sizeof(end) - 4), HOTSPOT_FRAME_POINTER);
	assert_int_equal(hotspot_frame_at_end(end + 5, sizeof(end) - 5), HOTSPOT_FRAME_NONE);
	assert_int_equal(hotspot_frame_at_end(end + 12, sizeof(end) - 12), HOTSPOT_FRAME_NONE);
	assert_int_equal(hotspot_frame_at_end(end + 18, 1), HOTSPOT_FRAME_NONE);
	/* Without a return instruction in reach, the frame counts as whole. */
	assert_int_equal(hotspot_frame_at_end(end + 12, 6), HOTSPOT_FRAME_WHOLE);
}

/* A jump to a register ends a frame if an address was popped before it. */
static void test_hotspot_frame__that_ends_with_a_jump(void **state)
{
	/*
	 * The instructions of the code: leave; pop %rcx; jmp *%rcx; pop %rbp; pop %r10; jmp *%r11;
	 * pop %rbp; jmp *%rax.
	 */
	const uint8_t code[] = {
		0xc9, 0x59, 0xff, 0xe1, 0x5d, 0x41, 0x5a, 0x41, 0xff, 0xe3, 0x5d, 0xff, 0xe0};
	const size_t n = sizeof(code);

	(void)state;
	assert_int_equal(hotspot_frame_at_end(code, n), HOTSPOT_FRAME_WHOLE);
	assert_int_equal(hotspot_frame_at_end(code + 1, n - 1), HOTSPOT_FRAME_NONE);
	assert_int_equal(hotspot_frame_at_end(code + 2, n - 2), HOTSPOT_FRAME_WHOLE);
	assert_int_equal(hotspot_frame_at_end(code + 4, n - 4), HOTSPOT_FRAME_POINTER);
	assert_int_equal(hotspot_frame_at_end(code + 5, n - 5), HOTSPOT_FRAME_NONE);
	assert_int_equal(hotspot_frame_at_end(code + 10, n - 10), HOTSPOT_FRAME_POINTER);
	/* 2 bytes: the return is cut off */
	assert_int_equal(hotspot_frame_at_end(code + 1, 2), HOTSPOT_FRAME_WHOLE);
	assert_int_equal(hotspot_frame_popped(code, code + 2, 2), 2);
	assert_int_equal(hotspot_frame_popped(code + 5, code + 7, 3), 10);
	assert_int_equal(hotspot_frame_popped(code + 9, code + 11, 2), 6);
	assert_int_equal(hotspot_frame_popped(code, code + 1, n - 1), -1);
	assert_int_equal(hotspot_frame_popped(code, code + 2, 1), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hotspot_frame__how_much_of_it_is_there),
		cmocka_unit_test(test_hotspot_frame__that_ends_with_a_jump),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
