/* SPDX-License-Identifier: MIT */
/* HotSpot's frames, in memory of tests/made_hotspot.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyst/hotspot/hotspot_frame.h"
#include "analyst/hotspot/hotspot_scopes.h"
#include "tests/made_hotspot.h"

/* indexes of made.reg */
enum { RAX = 0, RBX = 3, R13 = 13 };
static struct unwind_runtime_frame frame_at(uint64_t pc, uint64_t sp, uint64_t fp, bool exact)
{
	return (struct unwind_runtime_frame){.pc = pc, .sp = sp, .fp = fp, .exact = exact};
}

static void assert_caller(
	const struct unwind_runtime_caller *caller, uint64_t pc, uint64_t sp, uint64_t fp)
{
	assert_true(caller->found);
	assert_int_equal(caller->pc, pc);
	assert_int_equal(caller->sp, sp);
	assert_int_equal(caller->fp, fp);
}

static void test_hotspot__compressed_numbers(void **state)
{
	const uint8_t old[] = {0, 191, 192, 0, 255, 0, 192, 1, 255, 255, 255, 255, 255, 192};
	const uint8_t new[] = {1, 191, 192, 1, 255, 2};
	struct hotspot_stream s = hotspot_stream_over(old, sizeof(old), 17);

	(void)state;
	assert_int_equal(hotspot_stream_unsigned(&s), 0);
	assert_int_equal(hotspot_stream_unsigned(&s), 191);
	assert_int_equal(hotspot_stream_unsigned(&s), 192);
	assert_int_equal(hotspot_stream_unsigned(&s), 255);
	assert_int_equal(hotspot_stream_unsigned(&s), 256);
	assert_int_equal(hotspot_stream_unsigned(&s),
		255u + (255u << 6) + (255u << 12) + (255u << 18) + (255u << 24));
	assert_false(s.left.bad);
	assert_int_equal(hotspot_stream_unsigned(&s), 0);
	assert_true(s.left.bad);
	s = hotspot_stream_over(new, sizeof(new), 21);
	assert_int_equal(hotspot_stream_unsigned(&s), 0);
	assert_int_equal(hotspot_stream_unsigned(&s), 190);
	assert_int_equal(hotspot_stream_unsigned(&s), 191);
	assert_int_equal(hotspot_stream_signed(&s), (254 + 64) / 2);
	s = hotspot_stream_over(old, 1, 21); /* a byte that cannot begin a number */
	assert_int_equal(hotspot_stream_unsigned(&s), 0);
	assert_true(s.left.bad);
}

static void test_hotspot__lines_of_bytecodes(void **state)
{
	/* bytecode 0: line 12; 3: line 17; 2: line 7; 40: line 300; the end */
	const uint8_t lines[] = {0xff, 0, 24, 3 << 3 | 5, 0xff, 1, 19, 0xff, 76, 194, 6, 0, 9};

	(void)state;
	assert_int_equal(hotspot_line(lines, sizeof(lines), 0, 17), 12);
	assert_int_equal(hotspot_line(lines, sizeof(lines), 1, 17), 12);
	assert_int_equal(hotspot_line(lines, sizeof(lines), 2, 17), 7);
	assert_int_equal(hotspot_line(lines, sizeof(lines), 3, 17), 17);
	assert_int_equal(hotspot_line(lines, sizeof(lines), 39, 17), 17);
	assert_int_equal(hotspot_line(lines, 0, 3, 17), 0);
	/* cut after 3 bytes: the line known by then */
	assert_int_equal(hotspot_line(lines, 3, 3, 17), 12);
}

/*
 * The byte before a jump to a stub is pop %rbp, or the last byte of another instruction: the word
 * on the stack decides whether the frame is gone.
 */
static void test_hotspot__a_jump_behind_what_may_be_a_pop(void **state)
{
	enum { AT_JUMP = 0x28 };
	struct made *m = made_new(25);
	const uint64_t pc = CODE + AT_JUMP;
	struct unwind_runtime_caller caller;

	(void)state;
	made_put(m, (uint32_t)(pc - 1 - MADE_BASE), 0x5d, 1);
	made_put(m, (uint32_t)(pc - MADE_BASE), 0xe9, 1);
	made_put(m, (uint32_t)(pc + 1 - MADE_BASE), 0x10000, 4);
	m->stack[0] = CODE + 64;
	m->stack[2] = 0x1234;
	m->stack[3] = CODE + 32;
	assert_int_equal(made_step(m, frame_at(pc, STACK(0), 7, true), &caller), 1);
	assert_caller(&caller, CODE + 64, STACK(1), 7);
	m->stack[0] = 0x5678;
	assert_int_equal(made_step(m, frame_at(pc, STACK(0), 7, true), &caller), 1);
	assert_caller(&caller, CODE + 32, STACK(4), 0x1234);
	made_free(m);
}

static void test_hotspot__a_popped_return_address(void **state)
{
	enum { RCX = 2, AT_END = 0x20 };
	const uint64_t end = AT(MADE_FRAME) + MADE_HEADER + MADE_CODE_AT + AT_END;
	struct made *m = made_new(25);
	struct unwind_runtime_frame frame = frame_at(end, STACK(0), 7, true);
	struct unwind_runtime_caller caller;

	(void)state;
	made_put(m, (uint32_t)(end - MADE_BASE), 0xe1ff59c9, 4); /* leave; pop %rcx; jmp *%rcx */
	frame.reg = m->reg;
	m->reg[RCX] = CODE + 32;
	m->stack[0] = CODE + 64;
	m->stack[1] = 0x1234;
	m->stack[2] = CODE + 32;
	assert_int_equal(made_step(m, frame, &caller), 1);
	assert_caller(&caller, CODE + 32, STACK(3), 0x1234);
	frame.pc = end + 1;
	assert_int_equal(made_step(m, frame, &caller), 1);
	assert_caller(&caller, CODE + 64, STACK(1), 7);
	frame.pc = end + 2;
	assert_int_equal(made_step(m, frame, &caller), 1);
	assert_caller(&caller, CODE + 32, STACK(0), 7);
	made_free(m);
}

static void compiled_frames(uint32_t version)
{
	struct made *m = made_new(version);
	struct unwind_runtime_caller caller;

	m->stack[2] = 0x1234; /* the caller's frame pointer, then the return address */
	m->stack[3] = 0x5678;
	assert_int_equal(made_step(m, frame_at(CODE + 64, STACK(0), 7, false), &caller), 1);
	assert_caller(&caller, 0x5678, STACK(4), 0x1234);
	assert_string_equal(made_text(m, caller.tag),
		"p.Inner.inner p/Inner.java:13; p.Outer.outer p/Outer.java:10");
	/* Before the first call, no debug information says what is inlined. */
	assert_int_equal(made_step(m, frame_at(CODE + 32, STACK(0), 7, true), &caller), 1);
	assert_string_equal(made_text(m, caller.tag), "p.Outer.outer p/Outer.java:0");
	assert_int_equal(made_step(m, frame_at(CODE + 32, STACK(0), 7, false), &caller), 1);
	assert_string_equal(made_text(m, caller.tag), "p.Outer.outer p/Outer.java:10");
	/* In the first and last instructions the frame is incomplete. */
	m->stack[0] = 0x9abc;
	m->stack[1] = 0xdef0;
	assert_int_equal(made_step(m, frame_at(CODE, STACK(0), 7, true), &caller), 1);
	assert_caller(&caller, 0x9abc, STACK(1), 7);
	assert_int_equal(made_step(m, frame_at(CODE + 1, STACK(0), 7, true), &caller), 1);
	assert_caller(&caller, 0xdef0, STACK(2), 0x9abc);
	assert_int_equal(made_step(m, frame_at(CODE + 5, STACK(0), 7, true), &caller), 1);
	assert_caller(&caller, 0x5678, STACK(4), 0x1234);
	assert_int_equal(made_step(m, frame_at(CODE + 84, STACK(0), 7, true), &caller), 1);
	assert_caller(&caller, 0xdef0, STACK(2), 0x9abc);
	assert_int_equal(made_step(m, frame_at(CODE + 85, STACK(0), 7, true), &caller), 1);
	assert_caller(&caller, 0x9abc, STACK(1), 7);
	made_free(m);
}

static void test_hotspot__compiled_frames_and_what_is_inlined(void **state)
{
	(void)state;
	compiled_frames(11);
	compiled_frames(17);
	compiled_frames(25);
	compiled_frames(27);
}

/* The return address is the deoptimization handler's; the frame holds the original pc. */
static void deoptimized_frames(uint32_t version)
{
	struct made *m = made_new(version);
	struct unwind_runtime_caller caller;

	m->stack[1] = CODE + 64;
	m->stack[3] = 0x5678;
	assert_int_equal(made_step(m, frame_at(CODE + 90, STACK(0), 7, false), &caller), 1);
	assert_caller(&caller, 0x5678, STACK(4), 0);
	assert_string_equal(made_text(m, caller.tag),
		"p.Inner.inner p/Inner.java:13; p.Outer.outer p/Outer.java:10");
	made_free(m);
}

static void test_hotspot__deoptimized_frames(void **state)
{
	(void)state;
	deoptimized_frames(17);
	deoptimized_frames(25);
	deoptimized_frames(26);
}

static void test_hotspot__interpreted_frames(void **state)
{
	const uint64_t pc = AT(MADE_INTERPRETER) + MADE_HEADER + 0x100;
	const uint64_t bytecodes = AT(MADE_INNER) + 0x80 + 48;
	struct made *m = made_new(17);
	struct unwind_runtime_caller caller;
	struct unwind_runtime_frame frame = frame_at(pc, STACK(2), STACK(20), false);

	(void)state;
	m->stack[20] = 0x1234;
	m->stack[21] = 0x5678;
	m->stack[19] = STACK(24); /* the caller's stack pointer */
	m->stack[17] = AT(MADE_INNER);
	m->stack[12] = bytecodes + 5;
	assert_int_equal(made_step(m, frame, &caller), 1);
	assert_caller(&caller, 0x5678, STACK(24), 0x1234);
	assert_string_equal(made_text(m, caller.tag), "p.Inner.inner p/Inner.java:13");
	/* An exact frame is running: a register has the bytecode's address. */
	m->reg[R13] = bytecodes;
	frame.exact = true;
	frame.reg = m->reg;
	assert_int_equal(made_step(m, frame, &caller), 1);
	assert_string_equal(made_text(m, caller.tag), "p.Inner.inner p/Inner.java:10");
	/* A method begins: the frame pointer is still its caller's. */
	m->reg[R13] = STACK(3);
	m->reg[RBX] = AT(MADE_OUTER);
	m->stack[2] = CODE + 64;
	assert_int_equal(made_step(m, frame, &caller), 1);
	assert_caller(&caller, CODE + 64, STACK(3), STACK(20));
	assert_string_equal(made_text(m, caller.tag), "p.Outer.outer p/Outer.java:0");
	/*
	 * While the interpreter searches for an interface's method, r13 has another use, and the
	 * stack gives the bytecode's address.
	 */
	m->reg[R13] = AT(MADE_METHODS) + 0x123;
	assert_int_equal(made_step(m, frame, &caller), 1);
	assert_caller(&caller, 0x5678, STACK(24), 0x1234);
	assert_string_equal(made_text(m, caller.tag), "p.Inner.inner p/Inner.java:13");
	/* After a call, r13 has the callee's value, and the stack gives the bytecode's address. */
	m->reg[R13] = STACK(2);
	m->stack[2] = 0;
	assert_int_equal(made_step(m, frame, &caller), 1);
	assert_string_equal(made_text(m, caller.tag), "p.Inner.inner p/Inner.java:13");
	/* The method is not known. */
	frame.exact = false;
	m->stack[17] = 0x123450;
	assert_int_equal(made_step(m, frame, &caller), 1);
	assert_string_equal(made_text(m, caller.tag), "Interpreter :0");
	made_free(m);
}

/* A compiled caller passed arguments on the stack: its own frame begins above them. */
static void test_hotspot__a_method_begins_with_arguments(void **state)
{
	struct made *m = made_new(17);
	struct unwind_runtime_caller caller;
	struct unwind_runtime_frame frame =
		frame_at(AT(MADE_INTERPRETER) + MADE_HEADER + 0x100, STACK(2), STACK(30), true);

	(void)state;
	frame.reg = m->reg;
	m->reg[R13] = STACK(7);
	m->reg[RBX] = AT(MADE_OUTER);
	m->stack[2] = CODE + 64; /* the return address, then four arguments */
	assert_int_equal(made_step(m, frame, &caller), 1);
	assert_caller(&caller, CODE + 64, STACK(7), STACK(30));
	/* r13 is unaligned or below the return address: not taken for a stack pointer. */
	m->reg[R13] = STACK(7) + 4;
	assert_int_equal(made_step(m, frame, &caller), 1);
	assert_caller(&caller, CODE + 64, STACK(3), STACK(30));
	m->reg[R13] = STACK(2);
	assert_int_equal(made_step(m, frame, &caller), 1);
	assert_caller(&caller, CODE + 64, STACK(3), STACK(30));
	/* The return address was popped to rax. */
	m->reg[R13] = STACK(7);
	m->stack[2] = 0;
	m->reg[RAX] = CODE + 64;
	frame.sp = STACK(3);
	assert_int_equal(made_step(m, frame, &caller), 1);
	assert_caller(&caller, CODE + 64, STACK(7), STACK(30));
	m->reg[R13] = STACK(7) + 4;
	assert_int_equal(made_step(m, frame, &caller), 1);
	assert_caller(&caller, CODE + 64, STACK(3), STACK(30));
	m->reg[R13] = STACK(7);
	/* The frame pointer is set, and the caller's stack pointer is about to be pushed. */
	frame.fp = frame.sp = STACK(1);
	m->stack[1] = 0x1234;
	m->stack[2] = CODE + 64;
	assert_int_equal(made_step(m, frame, &caller), 1);
	assert_caller(&caller, CODE + 64, STACK(7), 0x1234);
	/* The caller's stack pointer is pushed, and r13 has another use. */
	frame.sp = STACK(0);
	m->stack[0] = STACK(7);
	m->reg[R13] = AT(MADE_OUTER);
	assert_int_equal(made_step(m, frame, &caller), 1);
	assert_caller(&caller, CODE + 64, STACK(7), 0x1234);
	assert_string_equal(made_text(m, caller.tag), "p.Outer.outer p/Outer.java:0");
	made_free(m);
}

static void test_hotspot__adapters(void **state)
{
	const uint32_t code = MADE_STUB + MADE_HEADER + MADE_CODE_AT;
	const uint8_t to_compiled[] = {0x58, 0x48, 0x83, 0xe4, 0xf0, 0x50}; /* pop; and; push */
	/* pop %rax; mov %rsp,%r13; sub $48,%rsp; mov %rax,(%rsp) */
	const uint8_t to_interpreted[] = {
		0x58, 0x4c, 0x8b, 0xec, 0x48, 0x83, 0xec, 0x30, 0x48, 0x89, 0x04, 0x24};
	struct made *m = made_new(17);
	struct unwind_runtime_caller caller;
	struct unwind_runtime_frame frame = frame_at(AT(code), STACK(1), STACK(8), true);

	(void)state;
	frame.reg = m->reg;
	made_put(m, MADE_STUB + MADE_HEADER + 48, made_name(m, "I2C/C2I adapters"), 8);
	memcpy(m->memory + code, to_compiled, sizeof(to_compiled));
	memcpy(m->memory + code + 32, to_interpreted, sizeof(to_interpreted));
	m->stack[1] = CODE + 64;
	m->stack[8] = STACK(20); /* what the frame pointer leads to is another frame */
	m->stack[9] = CODE + 32;
	assert_int_equal(made_step(m, frame, &caller), 1);
	assert_caller(&caller, CODE + 64, STACK(2), STACK(8));
	m->reg[RAX] = CODE + 64;
	frame.pc = AT(code) + 1; /* return address popped */
	frame.sp = STACK(2);
	assert_int_equal(made_step(m, frame, &caller), 1);
	assert_caller(&caller, CODE + 64, STACK(2), STACK(8));
	/*
	 * To the interpreter: the return address is popped; then there is room for arguments, with
	 * an old word on top.
	 */
	frame.pc = AT(code) + 33;
	assert_int_equal(made_step(m, frame, &caller), 1);
	assert_caller(&caller, CODE + 64, STACK(2), STACK(8));
	m->reg[R13] = STACK(7);
	m->stack[1] = CODE + 32;
	frame.sp = STACK(1);
	frame.pc = AT(code) + 40;
	assert_int_equal(made_step(m, frame, &caller), 1);
	assert_caller(&caller, CODE + 64, STACK(7), STACK(8));
	/* r13 is too far up for a stack pointer. */
	m->reg[R13] = STACK(7) + (1 << 20);
	assert_int_equal(made_step(m, frame, &caller), 1);
	assert_int_equal(caller.sp, STACK(2));
	made_free(m);
}

/* The deoptimizer has made these interpreted frames, but their words are still old. */
static void test_hotspot__frames_that_are_not_filled_yet(void **state)
{
	const uint64_t pc = AT(MADE_INTERPRETER) + MADE_HEADER + 0x100;
	const uint64_t stub = AT(MADE_FRAME) + MADE_HEADER + 0x90;
	struct made *m = made_new(17);
	struct unwind_runtime_caller caller;

	(void)state;
	m->stack[20] = 0x1234;
	m->stack[21] = CODE + 64;
	m->stack[19] = STACK(24);
	m->stack[17] = AT(MADE_INNER);
	m->stack[12] = AT(MADE_INNER) + 0x80 + 48 + 5;
	assert_int_equal(made_step(m, frame_at(pc, STACK(4), STACK(20), false), &caller), 1);
	assert_string_equal(made_text(m, caller.tag), "p.Inner.inner p/Inner.java:13");
	m->stack[1] = STACK(20);
	m->stack[2] = CODE + 64;
	made_put(m, MADE_FRAME + MADE_HEADER + 48, made_name(m, "DeoptimizationBlob"), 8);
	assert_int_equal(made_step(m, frame_at(stub, STACK(0), 3, false), &caller), 1);
	assert_int_equal(m->hotspot.unfilled_pc, 0); /* called by the compiled frame */
	m->stack[2] = pc;
	assert_int_equal(made_step(m, frame_at(stub, STACK(0), 3, false), &caller), 1);
	assert_caller(&caller, pc, STACK(3), STACK(20));
	assert_int_equal(made_step(m, frame_at(pc, STACK(4), STACK(20), false), &caller), 1);
	assert_caller(&caller, CODE + 64, STACK(24), 0x1234);
	assert_string_equal(made_text(m, caller.tag), "Interpreter :0");
	made_free(m);
}

static void assert_named(const char *class, const char *wanted)
{
	const uint64_t pc = AT(MADE_INTERPRETER) + MADE_HEADER + 0x100;
	struct made *m = made_new(17);
	struct unwind_runtime_caller caller;

	(void)made_method(m, MADE_INNER, class, "apply", "A.java");
	m->stack[21] = 0x5678;
	m->stack[19] = STACK(24);
	m->stack[17] = AT(MADE_INNER);
	m->stack[12] = AT(MADE_INNER) + 0x80 + 48 + 5;
	assert_int_equal(made_step(m, frame_at(pc, STACK(2), STACK(20), false), &caller), 1);
	assert_string_equal(made_text(m, caller.tag), wanted);
	made_free(m);
}

/* Numbers and addresses that differ from run to run are cut from made classes' names. */
static void test_hotspot__names_of_hidden_classes(void **state)
{
	(void)state;
	assert_named("p/Main$$Lambda$14+0x00007f2c0b15", "p.Main$$Lambda.apply p/A.java:13");
	assert_named("Main$$Lambda+0x00007f2c0b15", "Main$$Lambda.apply A.java:13");
	assert_named("p/Main$$Lambda$14", "p.Main$$Lambda.apply p/A.java:13");
	assert_named("p/LambdaForm$MH+0x00007f2c", "p.LambdaForm$MH.apply p/A.java:13");
	/* These classes were not made by the runtime. */
	assert_named("p/Main$$Lambda$14x", "p.Main$$Lambda$14x.apply p/A.java:13");
	assert_named("p/Main$14", "p.Main$14.apply p/A.java:13");
	assert_named("p/A+0xyz", "p.A+0xyz.apply p/A.java:13");
	assert_named("+0x12", "+0x12.apply A.java:13");
}

static void test_hotspot__stubs(void **state)
{
	const uint64_t stub = AT(MADE_STUB) + MADE_HEADER;
	struct made *m = made_new(17);
	struct unwind_runtime_caller caller;

	(void)state;
	/* The stub by which the VM calls Java has a frame pointer. */
	m->stack[8] = 0x1234;
	m->stack[9] = 0x5678;
	assert_int_equal(
		made_step(m, frame_at(stub + 0xa0, STACK(0), STACK(8), false), &caller), 1);
	assert_caller(&caller, 0x5678, STACK(10), 0x1234);
	assert_string_equal(made_text(m, caller.tag), "StubRoutines (1) :0");
	/* A stub called by compiled code, at its first instruction. */
	m->stack[0] = CODE + 32;
	assert_int_equal(made_step(m, frame_at(stub + 0x90, STACK(0), 3, true), &caller), 1);
	assert_caller(&caller, CODE + 32, STACK(1), 3);
	/* The stub at the entry of a method pushes a word of all ones. */
	m->stack[8] = 0x1234;
	m->stack[9] = UINT64_MAX;
	m->stack[10] = CODE + 32;
	assert_int_equal(
		made_step(m, frame_at(stub + 0xb0, STACK(0), STACK(8), false), &caller), 1);
	assert_caller(&caller, CODE + 32, STACK(11), 0x1234);
	/* A stub whose frame has three words. */
	m->stack[1] = 0x1234;
	m->stack[2] = 0x5678;
	assert_int_equal(
		made_step(m, frame_at(AT(MADE_FRAME) + MADE_HEADER + 0x90, STACK(0), 3, false),
			&caller),
		1);
	assert_caller(&caller, 0x5678, STACK(3), 0x1234);
	assert_string_equal(made_text(m, caller.tag), "new_instance :0");
	made_free(m);
}

/* Frames in the heap return to the beginning of the stub that fetches them. */
static void test_hotspot__frames_that_are_in_the_heap(void **state)
{
	const uint32_t code = MADE_STUB + MADE_HEADER + MADE_CODE_AT;
	struct made *m = made_new(21);
	struct unwind_runtime_caller caller;

	(void)state;
	made_put(m, MADE_STUB + MADE_HEADER + 48, made_name(m, "StubRoutines (continuation stubs)"),
		8);
	m->stack[8] = 0x1234;
	m->stack[9] = CODE + 32;
	assert_int_equal(made_step(m, frame_at(AT(code), STACK(0), STACK(8), false), &caller), 1);
	assert_caller(&caller, CODE + 32, STACK(10), 0x1234);
	assert_true(caller.gap);
	assert_string_equal(made_text(m, caller.tag), "[frames in the heap] :0");
	/* The stub has called the VM: this is the stub's own frame. */
	made_put(m, code + 11, 0xe8, 1);
	assert_int_equal(
		made_step(m, frame_at(AT(code) + 16, STACK(0), STACK(8), false), &caller), 1);
	assert_false(caller.gap);
	assert_string_equal(made_text(m, caller.tag), "StubRoutines (continuation stubs) :0");
	made_free(m);
}

static void test_hotspot__what_is_pushed_onto_a_frame(void **state)
{
	const uint64_t stub = AT(MADE_STUB) + MADE_HEADER + MADE_CODE_AT;
	const int32_t distance = (int32_t)(stub - (CODE + 45));
	struct made *m = made_new(17);
	struct unwind_runtime_caller caller;

	(void)state;
	m->stack[3] = 0x777;
	m->stack[4] = CODE + 32;
	assert_int_equal(made_step(m, frame_at(CODE + 40, STACK(0), 3, true), &caller), 1);
	assert_caller(&caller, CODE + 32, STACK(5), 0x777);
	/* A stub called directly: it is the target of the call before the return address. */
	m->stack[0] = 0;
	m->stack[1] = CODE + 32;
	m->stack[2] = CODE + 45;
	made_put(m, MADE_COMPILED + MADE_HEADER + MADE_CODE_AT + 40, 0xe8, 1);
	made_put(m, MADE_COMPILED + MADE_HEADER + MADE_CODE_AT + 41, (uint32_t)distance, 4);
	peek_forget(&m->peek);
	assert_int_equal(made_step(m, frame_at(stub + 20, STACK(0), 3, true), &caller), 1);
	assert_caller(&caller, CODE + 45, STACK(3), 3);
	/* The caller has pushed two arguments, which it pops after the call. */
	made_put(m, MADE_COMPILED + MADE_HEADER + MADE_CODE_AT + 45, 0x5f5f, 2);
	peek_forget(&m->peek);
	assert_int_equal(made_step(m, frame_at(stub + 20, STACK(0), 3, true), &caller), 1);
	assert_caller(&caller, CODE + 45, STACK(5), 3);
	made_free(m);
}

static void test_hotspot__layouts_that_are_not_known(void **state)
{
	const uint32_t unknown[] = {8, 23, 24, 25, 28}; /* 25: its fields are missing */
	struct made *m = made_new(17);
	struct unwind_runtime_caller caller;

	(void)state;
	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++) {
		made_put(m, MADE_VALUES + 8, unknown[i], 4);
		assert_int_equal(made_step(m, frame_at(CODE, STACK(0), 0, true), &caller), 0);
		assert_non_null(strstr(m->hotspot.tables.problem, "version"));
		made_free(m);
		m = made_new(17);
	}
	made_free(m);
	/* The library is mapped, but not yet relocated. */
	m = made_new(17);
	made_put(m, MADE_TABLES, 0, 8);
	assert_int_equal(made_step(m, frame_at(CODE, STACK(0), 0, true), &caller), 0);
	assert_null(m->hotspot.tables.problem);
	made_put(m, MADE_TABLES, MADE_BASE + MADE_STRUCTS, 8);
	peek_forget(&m->peek);
	assert_int_equal(made_step(m, frame_at(CODE, STACK(0), 0, true), &caller), 1);
	made_free(m);
}

static void test_peek__answers_come_later(void **state)
{
	struct made *m = made_new(17);
	const uint8_t *data;
	size_t got;

	(void)state;
	assert_int_equal(peek_at(&m->peek, AT(0), 16, 0, &data), -EAGAIN);
	assert_true(m->peek.missed);
	assert_int_equal(peek_at(&m->peek, AT(0), 16, 0, &data), -EAGAIN);
	assert_int_equal(m->peek.waiting, 1);
	made_serve(m);
	assert_int_equal(m->served, 1);
	assert_int_equal(peek_at(&m->peek, AT(0), 16, 0, &data), 1);
	/* An old answer serves a caller that accepts its age, while a new one is awaited. */
	assert_int_equal(peek_at(&m->peek, AT(0), 16, m->now_ns + 5, &data), -EAGAIN);
	assert_int_equal(peek_at(&m->peek, AT(0), 16, m->now_ns, &data), 1);
	/* A read across the end of readable memory gives a part, a read behind it nothing. */
	assert_int_equal(peek_some(&m->peek, AT(MADE_BYTES - 4), 16, 0, &data, &got), -EAGAIN);
	assert_int_equal(peek_at(&m->peek, AT(MADE_BYTES), 16, 0, &data), -EAGAIN);
	made_serve(m);
	assert_int_equal(peek_some(&m->peek, AT(MADE_BYTES - 4), 16, 0, &data, &got), 1);
	assert_int_equal(got, 4);
	assert_int_equal(peek_at(&m->peek, AT(MADE_BYTES - 4), 16, 0, &data), 0);
	assert_int_equal(peek_at(&m->peek, AT(MADE_BYTES), 16, 0, &data), 0);
	assert_int_equal(peek_at(&m->peek, UINT64_MAX - 4, 16, 0, &data), 0);
	/* more requests than one write holds */
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(peek_at(&m->peek, AT(i), 8, 0, &data), -EAGAIN);
	made_serve(m);
	assert_int_equal(m->peek.waiting, 0);
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(peek_at(&m->peek, AT(i), 8, 0, &data), 1);
	m->peek.last = true;
	assert_int_equal(peek_at(&m->peek, AT(2000), 8, 0, &data), 0);
	made_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hotspot__compressed_numbers),
		cmocka_unit_test(test_hotspot__lines_of_bytecodes),
		cmocka_unit_test(test_hotspot__a_jump_behind_what_may_be_a_pop),
		cmocka_unit_test(test_hotspot__a_popped_return_address),
		cmocka_unit_test(test_hotspot__compiled_frames_and_what_is_inlined),
		cmocka_unit_test(test_hotspot__deoptimized_frames),
		cmocka_unit_test(test_hotspot__interpreted_frames),
		cmocka_unit_test(test_hotspot__a_method_begins_with_arguments),
		cmocka_unit_test(test_hotspot__adapters),
		cmocka_unit_test(test_hotspot__frames_that_are_not_filled_yet),
		cmocka_unit_test(test_hotspot__names_of_hidden_classes),
		cmocka_unit_test(test_hotspot__stubs),
		cmocka_unit_test(test_hotspot__frames_that_are_in_the_heap),
		cmocka_unit_test(test_hotspot__what_is_pushed_onto_a_frame),
		cmocka_unit_test(test_hotspot__layouts_that_are_not_known),
		cmocka_unit_test(test_peek__answers_come_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
