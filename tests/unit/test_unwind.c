/* SPDX-License-Identifier: MIT */
/* Stacks made by hand, of a process without any file, linked by frame pointers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>

#include "symbolizer/unwind.h"

/* A process whose only code is anonymous memory, with frames linked by frame pointers. */
struct made {
	struct symbolizer *symbolizer;
	struct space *space;
	struct unwinder *unwinder;
	uint64_t reg[17];
	uint64_t word[64]; /* the stack, at 0x7000 */
	struct unwind_input input;
};

static void make(struct made *made)
{
	static const char maps[] =
		"10000-20000 r-xp 00000000 00:00 0 \n7000-8000 rw-p 00000000 00:00 0 \n";
	struct symbolizer_options options = {.size = sizeof(options)};

	*made = (struct made){0};
	assert_int_equal(symbolizer_new(&options, &made->symbolizer), 0);
	assert_int_equal(space_new(made->symbolizer, 0, &made->space), 0);
	assert_int_equal(space_set_maps(made->space, maps, sizeof(maps) - 1), 0);
	assert_int_equal(unwinder_new(made->symbolizer, &made->unwinder), 0);
	made->reg[6] = 0x7010;
	made->reg[7] = 0x7000;
	made->reg[16] = 0x10100;
	made->word[2] = 0x7040, made->word[3] = 0x10200; /* at 0x7010 */
	made->word[8] = 0x7080, made->word[9] = 0x10300; /* at 0x7040 */
	made->input = (struct unwind_input){.machine = EM_X86_64,
		.registers = 17,
		.reg = made->reg,
		.pc = 0x10100,
		.sp = 0x7000,
		.piece = {{0x7000, (const uint8_t *)made->word, sizeof(made->word)}}};
}

static void release(struct made *made)
{
	unwinder_free(made->unwinder);
	space_free(made->space);
	symbolizer_free(made->symbolizer);
}

static struct unwind_result unwind(struct made *made)
{
	struct unwind_result result;

	assert_int_equal(unwind_stack(made->unwinder, made->space, &made->input, &result), 0);
	assert_true(result.n >= 1);
	assert_int_equal(result.frame[0].pc, made->input.pc);
	return result;
}

static void test_unwind__follows_frame_pointers_and_says_so(void **state)
{
	struct made made;
	struct unwind_result r;

	(void)state;
	make(&made);
	r = unwind(&made);
	/* At 0x7080 are two zeros: the thread's first frame. */
	assert_int_equal(r.end, UNWIND_COMPLETE);
	assert_int_equal(r.n, 3);
	assert_int_equal(r.guessed, 2);
	assert_int_equal(r.frame[1].pc, 0x101ff);
	assert_int_equal(r.frame[2].pc, 0x102ff);
	assert_int_equal(r.frame[2].sp, 0x7050);
	assert_true(r.frame[2].generated == 0x10000);
	/* Asked for, it is no guess. */
	made.input.frame_pointers = true;
	r = unwind(&made);
	assert_int_equal(r.n, 3);
	release(&made);
}

static void test_unwind__damage_ends_it_and_says_so(void **state)
{
	struct made made;
	struct unwind_result r;

	(void)state;
	make(&made);
	made.word[8] = 0x7010; /* a loop */
	r = unwind(&made);
	assert_int_equal(r.end, UNWIND_INCOMPLETE);
	assert_int_equal(r.n, 3);
	made.word[3] = 0x999999; /* no code there */
	r = unwind(&made);
	assert_int_equal(r.end, UNWIND_INCOMPLETE);
	assert_int_equal(r.n, 1);
	made.reg[6] = 0x7011; /* not aligned */
	assert_int_equal(unwind(&made).n, 1);
	made.reg[6] = UINT64_MAX - 7;
	assert_int_equal(unwind(&made).n, 1);
	made.input.piece[0].bytes = 0;
	assert_int_equal(unwind(&made).n, 1);
	made.input.registers = 0;
	assert_int_equal(unwind(&made).n, 1);
	made.input.machine = 0xffff;
	made.input.pc = made.reg[16] = 0;
	assert_int_equal(unwind(&made).end, UNWIND_INCOMPLETE);
	release(&made);
}

static void test_unwind__a_copy_that_ends_is_truncated(void **state)
{
	struct made made;
	struct unwind_result r;

	(void)state;
	make(&made);
	made.input.piece[0].bytes = 0x48; /* the return address at 0x7048 is not in it */
	assert_int_equal(unwind(&made).end, UNWIND_INCOMPLETE);
	made.input.truncated = true;
	r = unwind(&made);
	assert_int_equal(r.end, UNWIND_TRUNCATED);
	assert_int_equal(r.n, 2);
	release(&made);
}

static void test_unwind__unchanged_frames_are_taken_over(void **state)
{
	struct made made;
	struct unwind_result r;

	(void)state;
	make(&made);
	made.input.memory = unwind_memory_new();
	assert_non_null(made.input.memory);
	assert_int_equal(unwind(&made).reused, 0);
	/* The leaf is elsewhere, its caller as it was. */
	made.input.pc = made.reg[16] = 0x10108;
	made.word[0] = 77;
	r = unwind(&made);
	assert_int_equal(r.reused, 2);
	assert_int_equal(r.n, 3);
	assert_int_equal(r.guessed, 2);
	assert_int_equal(r.end, UNWIND_COMPLETE);
	assert_int_equal(r.frame[1].pc, 0x101ff);
	assert_int_equal(r.frame[2].pc, 0x102ff);
	/* The outermost return address changes: nothing can be taken over. */
	made.word[9] = 0x10400;
	r = unwind(&made);
	assert_int_equal(r.reused, 0);
	assert_int_equal(r.frame[2].pc, 0x103ff);
	/* A deeper stack on top of the same callers. */
	made.word[1] = 0x1010;
	unwind_memory_clear(made.input.memory);
	assert_int_equal(unwind(&made).reused, 0);
	assert_int_equal(unwind(&made).reused, 2);
	unwind_memory_free(made.input.memory);
	release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unwind__follows_frame_pointers_and_says_so),
		cmocka_unit_test(test_unwind__damage_ends_it_and_says_so),
		cmocka_unit_test(test_unwind__a_copy_that_ends_is_truncated),
		cmocka_unit_test(test_unwind__unchanged_frames_are_taken_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
