/* SPDX-License-Identifier: MIT */
/* Stacks linked by frame pointers, made by hand, of a process without any file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "symbolizer/unwind/unwind.h"

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
	made->word[2] = 0x7040, made->word[3] = 0x10200; /* the frame at 0x7010 */
	made->word[8] = 0x7080, made->word[9] = 0x10300; /* the frame at 0x7040 */
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
	/* The frame at 0x7080 has two zeros: it is the thread's first. */
	assert_int_equal(r.end, UNWIND_COMPLETE);
	assert_int_equal(r.n, 3);
	assert_int_equal(r.guessed, 2);
	assert_int_equal(r.frame[1].pc, 0x101ff);
	assert_int_equal(r.frame[2].pc, 0x102ff);
	assert_int_equal(r.frame[2].sp, 0x7050);
	assert_true(r.frame[2].generated == 0x10000);
	/* Frame pointers were requested: no guess. */
	made.input.frame_pointers = true;
	r = unwind(&made);
	assert_int_equal(r.n, 3);
	release(&made);
}

static void test_unwind__a_frame_pointer_of_0_is_the_end(void **state)
{
	struct made made;

	(void)state;
	make(&made);
	made.word[8] = 0; /* frame pointer of the second frame's caller */
	assert_int_equal(unwind(&made).end, UNWIND_COMPLETE);
	assert_int_equal(unwind(&made).n, 3);
	/* In the innermost frame, the register may hold anything, also 0. */
	made.reg[6] = 0;
	assert_int_equal(unwind(&made).end, UNWIND_INCOMPLETE);
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
	/* The return address at 0x7048 is cut off. */
	made.input.piece[0].bytes = 0x48;
	assert_int_equal(unwind(&made).end, UNWIND_INCOMPLETE);
	made.input.truncated = true;
	r = unwind(&made);
	assert_int_equal(r.end, UNWIND_TRUNCATED);
	assert_int_equal(r.n, 2);
	release(&made);
}

/* At each multiple of 256, 16 bytes are generated code. */
static int find_generated(
	void *context, uint64_t pc, uint64_t start, struct unwind_generated *ret_generated)
{
	assert_int_equal(start, 0x10000);
	*ret_generated = *(const struct unwind_generated *)context;
	ret_generated->start = pc & ~(uint64_t)0xff;
	ret_generated->end = ret_generated->start + 16;
	return pc < ret_generated->end;
}

/*
 * A CIE and an FDE of 16 bytes of code. Between "sub $24,%rsp", which ends at offset 4, and "add
 * $24,%rsp", which ends at offset 10, the CFA is the stack pointer + 32; otherwise + 8.
 */
static const uint8_t eh_frame[] = {0x14, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 0x10, 1,
	0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0, 0x14, 0, 0, 0, 0x1c, 0, 0, 0, 0xd0, 0xff, 0xff, 0xff, 0x10,
	0, 0, 0, 0, 0x44, 0x0e, 0x20, 0x46, 0x0e, 8, 0};

static void test_unwind__generated_code_may_have_information(void **state)
{
	struct unwind_generated generated = {.eh_frame = eh_frame, .bytes = sizeof(eh_frame)};
	struct made made;
	struct unwind_result r;

	(void)state;
	make(&made);
	made.input.generated = find_generated;
	made.input.generated_context = &generated;
	/* The pc is before the first instruction; the caller has a frame. */
	made.word[0] = 0x10208;
	made.word[4] = 0x10308;
	made.word[8] = 0;
	r = unwind(&made);
	assert_int_equal(r.end, UNWIND_COMPLETE);
	assert_int_equal(r.n, 3);
	assert_int_equal(r.guessed, 0);
	assert_int_equal(r.frame[1].pc, 0x10207);
	assert_int_equal(r.frame[1].sp, 0x7008);
	assert_int_equal(r.frame[2].pc, 0x10307);
	assert_true(r.frame[2].generated == 0x10000);
	/* Damaged information is ignored, and the frame pointer followed. */
	for (generated.bytes = 0; generated.bytes < sizeof(eh_frame); generated.bytes++) {
		r = unwind(&made);
		assert_true(r.n == 3 || generated.bytes >= 44);
	}
	release(&made);
}

/* Returns its return address, which is after a call in a file. */
static __attribute__((noinline)) uint64_t behind_call(void)
{
	return (uint64_t)(uintptr_t)__builtin_return_address(0);
}

static void take_own_maps(struct made *made)
{
	static char maps[65536];
	size_t bytes = (size_t)snprintf(maps, sizeof(maps), "10000-20000 r-xp 00000000 00:00 0 \n");
	FILE *file = fopen("/proc/self/maps", "re");

	assert_non_null(file);
	bytes += fread(maps + bytes, 1, sizeof(maps) - bytes, file);
	(void)fclose(file);
	assert_int_equal(space_set_maps(made->space, maps, bytes), 0);
}

static void test_unwind__a_trampoline_has_a_frame_of_one_word(void **state)
{
	struct unwind_generated generated = {.trampoline = true};
	struct made made;
	struct unwind_result r;
	uint64_t caller = behind_call();

	(void)state;
	make(&made);
	take_own_maps(&made);
	made.input.generated = find_generated;
	made.input.generated_context = &generated;
	made.word[0] = 0x7040;
	made.word[1] = caller;
	r = unwind(&made);
	assert_true(r.n >= 2);
	/* This function's own frame, which is not on the made stack, may lead to a guess. */
	assert_false(r.frame[1].guessed);
	assert_int_equal(r.frame[1].pc, caller - 1);
	assert_int_equal(r.frame[1].sp, 0x7010);
	/* Before the first push and after the last pop, the return address is on top. */
	made.word[0] = caller;
	r = unwind(&made);
	assert_int_equal(r.frame[1].pc, caller - 1);
	assert_int_equal(r.frame[1].sp, 0x7008);
	/* An address that no call precedes is no return address: the frame pointer is followed. */
	made.word[0] = 0;
	made.word[1] = caller + 1;
	r = unwind(&made);
	assert_int_equal(r.frame[1].pc, 0x101ff);
	assert_true(r.frame[1].guessed);
	release(&made);
}

#ifdef __x86_64__
/* The code that musl has a signal handler return to. It has no call frame information. */
__asm__(".pushsection .text\n"
	"	nop\n"
	"return_from_signal:\n"
	"	mov $15, %rax\n"
	"	syscall\n"
	"	nop\n"
	".popsection");
extern const char return_from_signal[];

static void test_unwind__a_signal_handler_has_a_caller_without_information(void **state)
{
	const uint64_t restorer = (uint64_t)(uintptr_t)return_from_signal;
	struct made made;
	struct unwind_result r;

	(void)state;
	make(&made);
	take_own_maps(&made);
	/* The handler's frame; above it struct ucontext: 40 bytes, then the registers. */
	made.word[3] = restorer;
	made.word[4 + 5 + 10] = 0x7180; /* rbp */
	made.word[4 + 5 + 15] = 0x7160; /* rsp */
	made.word[4 + 5 + 16] = 0x10400;
	made.word[48] = 0x71c0, made.word[49] = 0x10300;
	r = unwind(&made);
	assert_int_equal(r.n, 4);
	assert_int_equal(r.frame[1].pc, restorer);
	assert_true(r.frame[1].signal);
	/* The interrupted instruction, with its frame pointer; it was not called. */
	assert_int_equal(r.frame[2].pc, 0x10400);
	assert_int_equal(r.frame[2].sp, 0x7160);
	assert_int_equal(r.frame[3].pc, 0x102ff);
	assert_int_equal(r.end, UNWIND_COMPLETE);
	/* Other code without information is none that handlers return to. */
	made.word[3] = restorer + 2;
	r = unwind(&made);
	assert_true(r.n >= 2);
	assert_false(r.frame[1].signal);
	release(&made);
}
#endif

enum { GROWN = 0x30100 };

/* In the runtime's view, 0x10100 was called from GROWN, and GROWN from 0x10200. */
static int ask_grown(void *context, const struct unwind_runtime_frame *frame,
	struct unwind_runtime_caller *ret_caller)
{
	(void)context;
	if (frame->pc == 0x10100)
		*ret_caller = (struct unwind_runtime_caller){
			.found = true, .pc = GROWN, .sp = 0x7010, .tag = 3};
	else if (frame->pc == GROWN)
		*ret_caller = (struct unwind_runtime_caller){
			.found = true, .pc = 0x10200, .sp = 0x7020, .fp = 0x7040, .tag = 4};
	else
		return 0;
	return 1;
}

/* A runtime's code grows: a caller may be in a mapping made after the maps were read. */
static void test_unwind__a_runtime_knows_code_outside_of_the_mappings(void **state)
{
	struct made made;
	struct unwind_result r;

	(void)state;
	make(&made);
	made.input.runtime = ask_grown;
	r = unwind(&made);
	assert_int_equal(r.end, UNWIND_COMPLETE);
	assert_int_equal(r.n, 4);
	assert_int_equal(r.frame[1].pc, GROWN - 1);
	assert_int_equal(r.frame[1].runtime_tag, 4);
	assert_int_equal(r.frame[2].pc, 0x101ff);
	assert_int_equal(r.frame[2].runtime_tag, 0);
	release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unwind__follows_frame_pointers_and_says_so),
		cmocka_unit_test(test_unwind__a_frame_pointer_of_0_is_the_end),
		cmocka_unit_test(test_unwind__damage_ends_it_and_says_so),
		cmocka_unit_test(test_unwind__a_copy_that_ends_is_truncated),
		cmocka_unit_test(test_unwind__generated_code_may_have_information),
		cmocka_unit_test(test_unwind__a_trampoline_has_a_frame_of_one_word),
#ifdef __x86_64__
		cmocka_unit_test(test_unwind__a_signal_handler_has_a_caller_without_information),
#endif
		cmocka_unit_test(test_unwind__a_runtime_knows_code_outside_of_the_mappings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
