/* SPDX-License-Identifier: MIT */
/* Stacks of a blocked thread, of which only pc and stack pointer are known. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "symbolizer/unwind/unwind.h"

/* What another process sees of a thread that waits in snapshot(), and its callers. */
static struct captured {
	uint64_t pc, sp;
	/* return addresses of snapshot(), its caller, and its caller's caller */
	uint64_t caller[3];
	uint8_t stack[65536];
	size_t bytes;
} captured;

#ifdef __x86_64__
/* Writes its stack pointer, pc and return address. Saves no register, like libc's calls. */
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

/* As a PLT stub at its first instruction: an expression computes the CFA from the pc. */
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
 * As the vdso's clock_gettime(): the first two align the stack, by 0 and 8 bytes, and have their
 * CFA from the frame pointer. call_aligned() keeps no frame pointer, and calls through a pointer.
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

/* Copies the stack above snapshot()'s stack pointer at once: later calls overwrite it. */
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
 * The frame's size is known only at run time. Old return addresses are in it: one into its own
 * caller, and those that its callees left.
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

/* Only pc and stack pointer are given. */
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
		/* From round 1 on, every other word of the array is snapshot()'s return address. */
		assert_int_equal(call_it(512 << round, round ? captured.caller[0] : 0), 0);
		r = unwind_blocked(&live);
		assert_true(r.n >= 4);
		for (unsigned i = 0; i < 3; i++)
			assert_int_equal(r.frame[i + 1].pc, captured.caller[i] - 1);
		/* Only a frame pointer would tell the caller of the function with the array. */
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
		/* snapshot(), function, call_aligned(), wait_aligned(), this test */
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
	/* Frame pointers, which a sanitizer's frames need, are guesses for a blocked thread. */
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
		cmocka_unit_test(test_unwind__searches_for_frames_of_a_blocked_thread),
		cmocka_unit_test(test_unwind__searches_for_frames_that_are_aligned),
		cmocka_unit_test(test_unwind__blocked_in_a_stub),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
