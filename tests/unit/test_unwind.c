/* SPDX-License-Identifier: MIT */
/* Stacks made by hand, over this program's own code; rows and expressions made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbolizer/unwind.h"
#include "symbolizer/unwind_expr.h"
#include "symbolizer/unwind_row.h"
#include "symbolizer/unwind_table.h"

static struct unwind_entry entry_of(const uint8_t *initial, size_t n, const uint8_t *code, size_t m)
{
	return (struct unwind_entry){.low = 0x1000,
		.high = 0x1100,
		.initial = initial,
		.initial_end = initial + n,
		.code = code,
		.code_end = code + m,
		.code_align = 1,
		.data_align = -8,
		.return_column = 16,
		.wide = true};
}

/* What gcc writes for push %rbp; mov %rsp,%rbp; push %rbx; …; pop; pop; ret (DWARF 5, 6.4.2). */
static void test_unwind__rows_follow_a_prologue(void **state)
{
	/* def_cfa r7+8; offset r16 at cfa-8 */
	static const uint8_t initial[] = {0x0c, 7, 8, 0x90, 1};
	static const uint8_t code[] = {
		0x41,       /* advance 1: 0x1001 */
		0x0e, 16,   /* def_cfa_offset 16 */
		0x86, 2,    /* offset r6 at cfa-16 */
		0x43,       /* advance 3: 0x1004 */
		0x0d, 6,    /* def_cfa_register r6 */
		0x0a,       /* remember_state */
		0x02, 0x40, /* advance_loc1 64: 0x1044 */
		0x0c, 7, 8, /* def_cfa r7+8 */
		0xc6,       /* restore r6 */
		0x41,       /* advance 1: 0x1045 */
		0x0b,       /* restore_state */
	};
	struct unwind_entry entry = entry_of(initial, sizeof(initial), code, sizeof(code));
	struct unwind_row row;

	(void)state;
	assert_int_equal(unwind_row_make(&entry, 0x1000, &row), 0);
	assert_int_equal(row.cfa.reg, 7);
	assert_int_equal(row.cfa.value, 8);
	assert_int_equal(row.rule[16].how, UNWIND_AT);
	assert_int_equal(row.rule[16].value, -8);
	assert_int_equal(row.rule[6].how, UNWIND_SAME);
	assert_int_equal(unwind_row_make(&entry, 0x1003, &row), 0);
	assert_int_equal(row.cfa.reg, 7);
	assert_int_equal(row.cfa.value, 16);
	assert_int_equal(row.rule[6].value, -16);
	assert_int_equal(unwind_row_make(&entry, 0x1004, &row), 0);
	assert_int_equal(row.cfa.reg, 6);
	assert_int_equal(row.cfa.value, 16);
	assert_int_equal(unwind_row_make(&entry, 0x1044, &row), 0);
	assert_int_equal(row.cfa.reg, 7);
	assert_int_equal(row.rule[6].how, UNWIND_SAME);
	assert_int_equal(unwind_row_make(&entry, 0x10ff, &row), 0);
	assert_int_equal(row.cfa.reg, 6);
	assert_int_equal(row.rule[6].value, -16);
}

static void test_unwind__nonsense_makes_no_row(void **state)
{
	static const uint8_t unknown[] = {0x3f};
	static const uint8_t cut[] = {0x0c, 7};
	static const uint8_t pops[] = {0x0b};
	/* def_cfa_expression {breg7 8}, then an offset for the register that there is none of. */
	static const uint8_t offset_of_expression[] = {0x0f, 2, 0x77, 8, 0x0e, 16};
	struct unwind_row row;
	struct unwind_entry entry = entry_of(unknown, 1, NULL, 0);

	(void)state;
	assert_int_equal(unwind_row_make(&entry, 0x1000, &row), -ENOEXEC);
	entry = entry_of(cut, 2, NULL, 0);
	assert_int_equal(unwind_row_make(&entry, 0x1000, &row), -ENOEXEC);
	entry = entry_of(pops, 1, NULL, 0);
	assert_int_equal(unwind_row_make(&entry, 0x1000, &row), -ENOEXEC);
	entry = entry_of(offset_of_expression, sizeof(offset_of_expression), NULL, 0);
	assert_int_equal(unwind_row_make(&entry, 0x1000, &row), -ENOEXEC);
	entry = entry_of(NULL, 0, NULL, 0); /* no CFA */
	assert_int_equal(unwind_row_make(&entry, 0x1000, &row), -ENOEXEC);
}

static int read_word(void *context, uint64_t address, unsigned bytes, uint64_t *ret_value)
{
	(void)context;
	if (address != 0x2000)
		return -EFAULT;
	*ret_value = bytes == 8 ? 0x1122334455667788 : 0x88;
	return 0;
}

static int run(const uint8_t *code, size_t bytes, uint64_t *ret_value)
{
	uint64_t reg[UNWIND_REGISTERS] = {[7] = 0x1ff8, [16] = 0x40100b};
	const struct unwind_expr_context context = {reg, 1 << 7 | 1 << 16, read_word, NULL};

	return unwind_expr_run(&context, code, bytes, false, 0, ret_value);
}

static void test_unwind__expressions(void **state)
{
	/* breg7 8; deref: the word at 0x2000 */
	static const uint8_t load[] = {0x77, 8, 0x06};
	/* What the linker writes for .plt: breg7 8; breg16 0; lit15; and; lit11; ge; lit3; shl;
	 * plus */
	static const uint8_t plt[] = {0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};
	static const uint8_t unknown_register[] = {0x73, 0};
	static const uint8_t underflow[] = {0x22};
	static const uint8_t fault[] = {0x31, 0x06};
	static const uint8_t by_zero[] = {0x31, 0x30, 0x1b};
	static const uint8_t least_by_minus_one[] = {
		0x0e, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x09, 0xff, 0x1b};
	static const uint8_t for_ever[] = {0x2f, 0xfd, 0xff};
	static const uint8_t far_jump[] = {0x2f, 0x00, 0x80};
	uint64_t value = 0;

	(void)state;
	assert_int_equal(run(load, sizeof(load), &value), 0);
	assert_true(value == 0x1122334455667788);
	assert_int_equal(run(plt, sizeof(plt), &value), 0);
	assert_int_equal(value, 0x2008); /* 0xb >= 11: one word more */
	assert_int_equal(run(unknown_register, 2, &value), -ENOEXEC);
	assert_int_equal(run(underflow, 1, &value), -ENOEXEC);
	assert_int_equal(run(fault, 2, &value), -EFAULT);
	assert_int_equal(run(by_zero, 3, &value), -ENOEXEC);
	assert_int_equal(run(least_by_minus_one, sizeof(least_by_minus_one), &value), 0);
	assert_true(value == UINT64_C(1) << 63);
	assert_int_equal(run(for_ever, 3, &value), -ENOEXEC);
	assert_int_equal(run(far_jump, 3, &value), -ENOEXEC);
	assert_int_equal(run(NULL, 0, &value), -ENOEXEC);
}

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

/* What a thread that waits in snapshot() looks like from outside, and where its callers are. */
static struct captured {
	uint64_t pc, sp;
	uint64_t caller[3]; /* return addresses: of snapshot(), its caller, and that one's caller */
	uint8_t stack[65536];
	size_t bytes;
} captured;

#ifdef __x86_64__
/* As the C library's system calls are: it saves nothing. Gives its stack pointer, pc and caller. */
void snapshot(uint64_t ret[3]);
__asm__(".text\n"
	".globl snapshot\n"
	".type snapshot, @function\n"
	"snapshot:\n"
	"	.cfi_startproc\n"
	"	mov %rsp, (%rdi)\n"
	"	lea 1f(%rip), %rax\n"
	"1:	mov %rax, 8(%rdi)\n"
	"	mov (%rsp), %rax\n"
	"	mov %rax, 16(%rdi)\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size snapshot, . - snapshot\n");

/* As a PLT stub at its first instruction: where its frame is follows from the pc, by an expression.
 */
void stub(uint64_t ret[3]);
__asm__(".text\n"
	".globl stub\n"
	".type stub, @function\n"
	".p2align 4\n"
	"stub:\n"
	"	.cfi_startproc\n"
	/* rsp + 8 + ((rip & 15) >= 11) << 3 */
	"	.cfi_escape 0x0f, 0x0b, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, "
	"0x22\n"
	"	lea stub(%rip), %rax\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rax, 8(%rdi)\n"
	"	mov (%rsp), %rax\n"
	"	mov %rax, 16(%rdi)\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size stub, . - stub\n");

/*
 * As the vdso's clock_gettime: they align the stack, by 0 and by 8 bytes, and find their frame by
 * the frame pointer. Their caller's is none, and it calls through a pointer.
 */
void wait_aligned_0(uint64_t ret[3]);
void wait_aligned_8(uint64_t ret[3]);
void call_aligned(uint64_t ret[3], void (*function)(uint64_t[3]));
__asm__(".text\n"
	".globl wait_aligned_0\n"
	".type wait_aligned_0, @function\n"
	"wait_aligned_0:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	push %r14\n"
	"	push %rbx\n"
	"	and $-16, %rsp\n"
	"	sub $16, %rsp\n"
	"	call snapshot\n"
	"	call copy_stack\n"
	"	lea -16(%rbp), %rsp\n"
	"	pop %rbx\n"
	"	pop %r14\n"
	"	pop %rbp\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size wait_aligned_0, . - wait_aligned_0\n"
	".globl wait_aligned_8\n"
	".type wait_aligned_8, @function\n"
	"wait_aligned_8:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register %rbp\n"
	"	push %rbx\n"
	"	and $-16, %rsp\n"
	"	sub $16, %rsp\n"
	"	call snapshot\n"
	"	call copy_stack\n"
	"	lea -8(%rbp), %rsp\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	.cfi_def_cfa %rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size wait_aligned_8, . - wait_aligned_8\n"
	".globl call_aligned\n"
	".type call_aligned, @function\n"
	"call_aligned:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	xor %ebp, %ebp\n"
	"	call *%rsi\n"
	"	pop %rbp\n"
	"	.cfi_def_cfa_offset 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size call_aligned, . - call_aligned\n");
#else
static void call_aligned(uint64_t ret[3], void (*function)(uint64_t[3]))
{
	function(ret);
}
#define stub           snapshot
#define wait_aligned_0 snapshot
#define wait_aligned_8 snapshot

static void snapshot(uint64_t ret[3])
{
	ret[0] = 0;
}
#endif

/* The stack from snapshot() on, as it was then: a later call has taken the place of its own. */
__attribute__((noinline, used)) static void copy_stack(const uint64_t shot[3])
{
	int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	ssize_t n;

	assert_true(fd >= 0);
	captured.sp = shot[0];
	captured.pc = shot[1];
	captured.caller[0] = shot[2];
	n = pread(fd, captured.stack, sizeof(captured.stack), (off_t)captured.sp);
	assert_true(n > 1024);
	captured.bytes = (size_t)n;
	memcpy(captured.stack, &captured.caller[0], sizeof(captured.caller[0]));
	assert_int_equal(close(fd), 0);
}

/*
 * A frame of a size that only it knows, with return addresses of calls that are over in it: one of
 * its own caller's, and those that its callees left.
 */
__attribute__((noinline)) static void wait_in_array(size_t bytes, uint64_t left_over)
{
	uint64_t *array = __builtin_alloca(bytes), shot[3];

	for (size_t i = 0; i + 1 < bytes / 8; i += 2) {
		((volatile uint64_t *)array)[i] = (uintptr_t)&array[i + 8];
		((volatile uint64_t *)array)[i + 1] = left_over;
	}
	captured.caller[1] = (uintptr_t)__builtin_return_address(0);
	snapshot(shot);
	copy_stack(shot);
	((volatile uint64_t *)array)[0] = 0;
}

__attribute__((noinline)) static int call_it(size_t bytes, uint64_t left_over)
{
	volatile uint8_t local[64] = {0};

	captured.caller[2] = (uintptr_t)__builtin_return_address(0);
	wait_in_array(bytes, left_over);
	return local[bytes % 64];
}

struct live {
	struct symbolizer *symbolizer;
	struct unwinder *unwinder;
	struct space *space;
};

/* This very process. */
static void begin_live(struct live *live)
{
	static char maps[1 << 20];
	struct symbolizer_options options = {.size = sizeof(options)};
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got;

	assert_true(fd >= 0);
	while ((got = read(fd, maps + n, sizeof(maps) - n)) > 0)
		n += (size_t)got;
	assert_int_equal(close(fd), 0);
	assert_int_equal(symbolizer_new(&options, &live->symbolizer), 0);
	assert_int_equal(space_new(live->symbolizer, getpid(), &live->space), 0);
	assert_int_equal(space_set_maps(live->space, maps, n), 0);
	assert_int_equal(unwinder_new(live->symbolizer, &live->unwinder), 0);
}

static void end_live(struct live *live)
{
	unwinder_free(live->unwinder);
	space_free(live->space);
	symbolizer_free(live->symbolizer);
}

/* What was captured, of a thread whose pc and stack pointer alone are known. */
static struct unwind_result unwind_blocked(struct live *live)
{
	struct unwind_input input = {.machine = EM_X86_64,
		.blocked = true,
		.pc = captured.pc,
		.sp = captured.sp,
		.piece[0] = {captured.sp, captured.stack, captured.bytes}};
	struct unwind_result r;

	assert_int_equal(unwind_stack(live->unwinder, live->space, &input, &r), 0);
	return r;
}

static void test_unwind__searches_for_frames_of_a_blocked_thread(void **state)
{
	struct unwind_result r;
	struct live live;

	(void)state;
#ifndef __x86_64__
	skip();
#endif
	begin_live(&live);
	for (unsigned round = 0; round < 4; round++) {
		/* From the second time on the array is full of a return address behind another
		 * call. */
		assert_int_equal(call_it(512 << round, round ? captured.caller[0] : 0), 0);
		r = unwind_blocked(&live);
		assert_true(r.n >= 4);
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(r.frame[i + 1].pc, captured.caller[i] - 1);
		/* The array's function needs the frame pointer to find its caller. */
		assert_false(r.frame[1].guessed);
		assert_true(r.frame[2].guessed);
		for (unsigned i = 0; i < r.n; i++)
			assert_true(r.frame[i].searched == (i == 2));
	}
	end_live(&live);
}

__attribute__((noinline)) static void wait_aligned(void (*function)(uint64_t[3]))
{
	uint64_t shot[3];

	captured.caller[1] = (uintptr_t)__builtin_return_address(0);
	call_aligned(shot, function);
}

static void test_unwind__searches_for_frames_that_are_aligned(void **state)
{
	void (*const function[])(uint64_t[3]) = {wait_aligned_0, wait_aligned_8};
	struct live live;

	(void)state;
#ifndef __x86_64__
	skip();
#endif
	begin_live(&live);
	for (unsigned i = 0; i < 2; i++) {
		struct unwind_result r;

		wait_aligned(function[i]);
		r = unwind_blocked(&live);
		/* snapshot, function, call_aligned, wait_aligned, this one */
		assert_true(r.n >= 5);
		assert_int_equal(r.frame[1].pc, captured.caller[0] - 1);
		assert_in_range(
			r.frame[2].pc, (uintptr_t)call_aligned, (uintptr_t)call_aligned + 32);
		assert_true(r.frame[2].searched);
		assert_int_equal(r.frame[4].pc, captured.caller[1] - 1);
	}
	end_live(&live);
}

__attribute__((noinline)) static int wait_in_stub(void)
{
	uint64_t shot[3];

	captured.caller[1] = (uintptr_t)__builtin_return_address(0);
	stub(shot);
	copy_stack(shot);
	return 0;
}

static void test_unwind__blocked_in_a_stub(void **state)
{
	struct unwind_result r;
	struct live live;

	(void)state;
	/* A sanitizer's frames hang on their frame pointer, which of a blocked thread is a guess.
	 */
#if !defined(__x86_64__) || defined(__SANITIZE_ADDRESS__)
	skip();
#endif
	begin_live(&live);
	assert_int_equal(wait_in_stub(), 0);
	r = unwind_blocked(&live);
	assert_true(r.n >= 3);
	assert_int_equal(r.frame[1].pc, captured.caller[0] - 1);
	assert_int_equal(r.frame[2].pc, captured.caller[1] - 1);
	assert_int_equal(r.guessed, 0);
	end_live(&live);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unwind__rows_follow_a_prologue),
		cmocka_unit_test(test_unwind__nonsense_makes_no_row),
		cmocka_unit_test(test_unwind__expressions),
		cmocka_unit_test(test_unwind__follows_frame_pointers_and_says_so),
		cmocka_unit_test(test_unwind__damage_ends_it_and_says_so),
		cmocka_unit_test(test_unwind__a_copy_that_ends_is_truncated),
		cmocka_unit_test(test_unwind__unchanged_frames_are_taken_over),
		cmocka_unit_test(test_unwind__searches_for_frames_of_a_blocked_thread),
		cmocka_unit_test(test_unwind__searches_for_frames_that_are_aligned),
		cmocka_unit_test(test_unwind__blocked_in_a_stub),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
