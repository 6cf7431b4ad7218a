/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyst/hotspot/hotspot_frame.h"

/* @code: a method of @bytes, after HOTSPOT_FRAME_BEFORE other bytes. @offset: the pc in it. */
static enum hotspot_frame at(const uint8_t *code, size_t bytes, size_t offset)
{
	return hotspot_frame_at(&(struct hotspot_code){.code = code + offset,
		.bytes = bytes - offset,
		.start = -(int64_t)offset,
		.end = (int64_t)(bytes - offset)});
}

static void test_hotspot_frame__how_much_of_it_is_there(void **state)
{
	const uint8_t begin[] = {
		0x89, 0x84, 0x24, 0, 0xc0, 0xfe, 0xff, 0x55, 0x48, 0x83, 0xec, 0x20};
	const uint8_t stored[] = {0x48, 0x81, 0xec, 0x20, 0, 0, 0, 0x48, 0x89, 0x6c, 0x24, 0x18};
	const uint8_t end[] = {0, 0, 0, 0, 0, 0, 0, 0x48, 0x83, 0xc4, 0x20, 0x5d, 0x49, 0x3b, 0xa7,
		0x38, 1, 0, 0, 0x0f, 0x87, 1, 0, 0, 0, 0xc3};
	const uint8_t *code = end + HOTSPOT_FRAME_BEFORE;
	const size_t n = sizeof(end) - HOTSPOT_FRAME_BEFORE;

	(void)state;
	assert_int_equal(hotspot_frame_at_begin(begin, 0), HOTSPOT_FRAME_NONE);
	assert_int_equal(hotspot_frame_at_begin(begin, 7), HOTSPOT_FRAME_NONE);
	assert_int_equal(hotspot_frame_at_begin(begin, 8), HOTSPOT_FRAME_POINTER);
	assert_int_equal(hotspot_frame_at_begin(begin, 12), HOTSPOT_FRAME_WHOLE);
	assert_int_equal(hotspot_frame_at_begin(stored, 7), HOTSPOT_FRAME_UNSAVED);
	assert_int_equal(hotspot_frame_at_begin(stored, 12), HOTSPOT_FRAME_WHOLE);
	assert_int_equal(at(code, n, 0), HOTSPOT_FRAME_WHOLE);
	assert_int_equal(at(code, n, 4), HOTSPOT_FRAME_POINTER);
	assert_int_equal(at(code, n, 5), HOTSPOT_FRAME_NONE);
	assert_int_equal(at(code, n, 12), HOTSPOT_FRAME_NONE);
	assert_int_equal(at(code, n, 18), HOTSPOT_FRAME_NONE);
	/* Without a return instruction in sight, the frame counts as whole. */
	assert_int_equal(at(code, 18, 12), HOTSPOT_FRAME_WHOLE);
}

/* A jump to a register ends a frame if an address was popped before the jump. */
static void test_hotspot_frame__that_ends_with_a_jump(void **state)
{
	/* leave; pop %rcx; jmp *%rcx; pop %rbp; pop %r10; jmp *%r11; pop %rbp; jmp *%rax */
	const uint8_t all[] = {0, 0, 0, 0, 0, 0, 0, 0xc9, 0x59, 0xff, 0xe1, 0x5d, 0x41, 0x5a, 0x41,
		0xff, 0xe3, 0x5d, 0xff, 0xe0};
	const uint8_t *code = all + HOTSPOT_FRAME_BEFORE;
	const size_t n = sizeof(all) - HOTSPOT_FRAME_BEFORE;

	(void)state;
	assert_int_equal(at(code, n, 0), HOTSPOT_FRAME_WHOLE);
	assert_int_equal(at(code, n, 1), HOTSPOT_FRAME_NONE);
	assert_int_equal(at(code, n, 2), HOTSPOT_FRAME_WHOLE);
	assert_int_equal(at(code, n, 4), HOTSPOT_FRAME_POINTER);
	assert_int_equal(at(code, n, 5), HOTSPOT_FRAME_NONE);
	assert_int_equal(at(code, n, 10), HOTSPOT_FRAME_POINTER);
	/* only 2 bytes, without the jump */
	assert_int_equal(at(code, 3, 1), HOTSPOT_FRAME_WHOLE);
	assert_int_equal(hotspot_frame_popped(code, code + 2, 2), 2);
	assert_int_equal(hotspot_frame_popped(code + 5, code + 7, 3), 10);
	assert_int_equal(hotspot_frame_popped(code + 9, code + 11, 2), 6);
	assert_int_equal(hotspot_frame_popped(code, code + 1, n - 1), -1);
	assert_int_equal(hotspot_frame_popped(code, code + 2, 1), -1);
}

/* Ends of methods as C2 of JDK 25 makes them. */
static void test_hotspot_frame__that_ends_with_a_jump_to_a_stub(void **state)
{
	const uint8_t all[] = {0, 0, 0, 0, 0, 0, 0, /* */
		0x48, 0x83, 0xc4, 0x10,             /* 0: add $16,%rsp */
		0x5d,                               /* 4: pop %rbp */
		0xe9, 0x2d, 0x51, 0xfe, 0xff,       /* 5: jmp to a stub */
		0x49, 0xba, 1, 2, 3, 4, 5, 6, 7, 8, /* 10: movabs $n,%r10 */
		0x4d, 0x89, 0x97, 0x38, 5, 0, 0,    /* 20: mov %r10,0x538(%r15) */
		0xe9, 0x17, 0xeb, 0xf8, 0xff,       /* 27: jmp to a stub */
		0x4c, 0x8d, 0x15, 1, 2, 3, 4,       /* 32: lea n(%rip),%r10 */
		0x4d, 0x89, 0x97, 0x38, 5, 0, 0,    /* 39: mov %r10,0x538(%r15) */
		0xe9, 0x17, 0xeb, 0xf8, 0xff,       /* 46: jmp to a stub */
		0x4d, 0x89, 0x97, 0xc8, 1, 0, 0,    /* 51: mov %r10,0x1c8(%r15) */
		0xe9, 0, 0, 0, 0,                   /* 58: jmp within the method */
		0x41, 0x52,                         /* 63: push %r10 */
		0xe9, 0x17, 0xeb, 0xf8, 0xff};      /* 65: jmp to a stub */
	const uint8_t *code = all + HOTSPOT_FRAME_BEFORE;
	const size_t n = sizeof(all) - HOTSPOT_FRAME_BEFORE;

	(void)state;
	assert_int_equal(at(code, n, 0), HOTSPOT_FRAME_WHOLE);
	assert_int_equal(at(code, n, 4), HOTSPOT_FRAME_POINTER);
	assert_int_equal(at(code, n, 5), HOTSPOT_FRAME_UNSURE);
	assert_int_equal(at(code, n, 10), HOTSPOT_FRAME_NONE);
	assert_int_equal(at(code, n, 20), HOTSPOT_FRAME_NONE);
	assert_int_equal(at(code, n, 27), HOTSPOT_FRAME_NONE);
	assert_int_equal(at(code, n, 32), HOTSPOT_FRAME_NONE);
	assert_int_equal(at(code, n, 39), HOTSPOT_FRAME_NONE);
	assert_int_equal(at(code, n, 46), HOTSPOT_FRAME_NONE);
	assert_int_equal(at(code, n, 51), HOTSPOT_FRAME_WHOLE);
	assert_int_equal(at(code, n, 58), HOTSPOT_FRAME_WHOLE);
	assert_int_equal(at(code, n, 65), HOTSPOT_FRAME_WHOLE);
	assert_int_equal(at(code, 31, 10), HOTSPOT_FRAME_WHOLE); /* cut */
}

/* C1's code that replaces a running loop begins in the middle of the method. */
static void test_hotspot_frame__that_begins_in_the_middle(void **state)
{
	const uint8_t all[] = {0, 0, 0, 0, 0, 0, 0, 0x90, 0x89, 0x84, 0x24, 0, 0xc0, 0xfe, 0xff,
		0x55, 0x48, 0x83, 0xec, 0x20, 0x90};
	const uint8_t *code = all + HOTSPOT_FRAME_BEFORE;
	const size_t n = sizeof(all) - HOTSPOT_FRAME_BEFORE;

	(void)state;
	assert_int_equal(at(code, n, 0), HOTSPOT_FRAME_WHOLE);
	assert_int_equal(at(code, n, 1), HOTSPOT_FRAME_NONE);
	assert_int_equal(at(code, n, 8), HOTSPOT_FRAME_NONE);
	assert_int_equal(at(code, n, 9), HOTSPOT_FRAME_POINTER);
	assert_int_equal(at(code, n, 13), HOTSPOT_FRAME_WHOLE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hotspot_frame__how_much_of_it_is_there),
		cmocka_unit_test(test_hotspot_frame__that_ends_with_a_jump),
		cmocka_unit_test(test_hotspot_frame__that_ends_with_a_jump_to_a_stub),
		cmocka_unit_test(test_hotspot_frame__that_begins_in_the_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
