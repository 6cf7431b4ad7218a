/* SPDX-License-Identifier: MIT */
/* From a frame of the interpreter to its caller, and its location: x86-64. */
#include "analyst/hotspot/hotspot_internal.h"
#include "symbolizer/unwind/unwind.h"

/* DWARF numbers of registers. */
enum { RAX = 0, RBX = 3, R13 = 13 };

/*
 * A frame of the interpreter, in words from the frame pointer on (frame_x86.hpp): the caller's
 * frame pointer and the return address, and downwards the caller's stack pointer, that of calls,
 * the method, five more words, the bytecode that calls, the bottom of its operands.
 */
enum { SENDER_SP = -1, METHOD = -3, BYTECODE = -8, FIXED_WORDS = 9 };

/* The caller's stack pointer is not farther from that of the interpreter. */
enum { NEAR = 1 << 20 };

/* A frame of the interpreter, which keeps its caller's stack pointer. */
static void leave_with(struct hotspot_step *step, uint64_t sender_sp)
{
	uint64_t fp = step->frame->fp;

	hotspot_set_caller_saved(step, fp + 8);
	if (step->caller.found && sender_sp >= fp + 16 && sender_sp - fp < NEAR)
		step->caller.sp = sender_sp;
}

/*
 * The frame of the interpreter at the frame pointer. @runs: a register must hold a bytecode of its
 * method; else this may be the frame of a caller. 1: it is one; 0; -EAGAIN.
 */
static int leave_interpreted(struct hotspot_step *step, bool runs)
{
	const struct unwind_runtime_frame *frame = step->frame;
	struct hotspot *hotspot = step->hotspot;
	uint64_t fp = frame->fp, method, bytecode, sender, first;
	struct hotspot_method *found;
	int r;

	if (fp % 8 || fp < frame->sp || fp - frame->sp < 8 * FIXED_WORDS - 8 ||
		!hotspot_read_stack(step, fp + 8 * (int64_t)METHOD, &method) ||
		!hotspot_read_stack(step, fp + 8 * (int64_t)BYTECODE, &bytecode) ||
		!hotspot_read_stack(step, fp + 8 * (int64_t)SENDER_SP, &sender))
		return 0;
	/* Returned to, it is whole. */
	if (!frame->exact)
		leave_with(step, sender);
	r = hotspot_method_find(hotspot, method, &found);
	if (r <= 0)
		return r;
	first = found->const_method + hotspot->tables.layout.const_bytes;
	if (runs && frame->reg && found->code_bytes) {
		uint64_t r13 = frame->reg[R13];

		if (r13 < first || r13 - first >= found->code_bytes)
			return 0;
		bytecode = r13;
	}
	leave_with(step, sender);
	return hotspot_name_interpreted(step, method, bytecode);
}

/* The caller is at @pc, the return address, and its stack begins at @sp. */
static int set_beginning(struct hotspot_step *step, uint64_t pc, uint64_t sp, uint64_t fp)
{
	int named = hotspot_name_interpreted(step, step->frame->reg[RBX], 0);

	if (named < 0)
		return named;
	step->caller.found = true;
	step->caller.pc = pc;
	step->caller.sp = sp;
	step->caller.fp = fp;
	return 1;
}

/*
 * The interpreter begins with a method, whose frame is not there yet, or not all of it: a register
 * holds the method, another one the caller's stack pointer. It has taken the return address from
 * the stack, or not. At the end of a method its frame is gone. 1; 0: none of this; -EAGAIN.
 */
static int leave_beginning(struct hotspot_step *step)
{
	const struct unwind_runtime_frame *frame = step->frame;
	const uint64_t *reg = frame->reg;
	uint64_t pc = 0, fp;
	int r;

	if (!reg)
		return 0;
	/* Its frame has been begun. */
	if (frame->fp >= frame->sp && frame->fp - frame->sp < 8 * FIXED_WORDS &&
		hotspot_read_stack(step, frame->fp + 8, &pc) &&
		hotspot_read_stack(step, frame->fp, &fp)) {
		r = hotspot_is_return(step, pc);
		if (r)
			return r < 0 ? r : set_beginning(step, pc, frame->fp + 16, fp);
	}
	if (reg[R13] >= frame->sp && reg[R13] - frame->sp <= NEAR) {
		r = hotspot_read_stack(step, frame->sp, &pc) ? hotspot_is_return(step, pc) : 0;
		if (r)
			return r < 0 ? r : set_beginning(step, pc, frame->sp + 8, frame->fp);
		r = hotspot_is_return(step, reg[RAX]);
		return r > 0 ? set_beginning(step, reg[RAX], frame->sp, frame->fp) : r;
	}
	r = hotspot_is_return(step, reg[R13]);
	return r > 0 ? set_beginning(step, reg[R13], frame->sp, frame->fp) : r;
}

int hotspot_step_interpreted(struct hotspot_step *step)
{
	const bool exact = step->frame->exact;
	int r = leave_interpreted(step, exact);

	if (!r && exact)
		r = leave_beginning(step);
	/* On its way to another method, or back from it, the registers are not set. */
	if (!r && exact)
		r = leave_interpreted(step, false);
	if (r < 0 || step->caller.tag)
		return r < 0 ? r : 1;
	return hotspot_name_stub(step);
}
