/* SPDX-License-Identifier: MIT */
/* Frames of the interpreter, on x86-64. */
#include "analyst/hotspot/hotspot_internal.h"
#include "symbolizer/unwind/unwind.h"

/* DWARF numbers of registers. */
enum { RAX = 0, RBX = 3, R13 = 13 };

/*
 * A frame of the interpreter (frame_x86.hpp). Its words, by index from the frame pointer: 1: the
 * return address; 0: the caller's frame pointer; -1: the caller's stack pointer; -2: the frame's
 * own stack pointer during calls; -3: the method; -4 to -7: other words; -8: the address of the
 * bytecode that calls; -9: the bottom of the operand stack.
 */
enum { SENDER_SP = -1, METHOD = -3, BYTECODE = -8, FIXED_WORDS = 9 };

/* The caller's stack pointer is at most this many bytes above the frame. */
enum { NEAR = 1 << 20 };

/* Leaves the frame at the frame pointer. @sender_sp: the caller's stack pointer. */
static void leave_with(struct hotspot_step *step, uint64_t sender_sp)
{
	uint64_t fp = step->frame->fp;

	hotspot_set_caller_saved(step, fp + 8);
	if (step->caller.found && sender_sp >= fp + 16 && sender_sp - fp < NEAR)
		step->caller.sp = sender_sp;
}

/*
 * Leaves the interpreter's frame at the frame pointer. @runs: the frame is left only if its method
 * executes, so that r13 points to one of its bytecodes; without @runs the frame may be a caller's.
 * 1: left; 0: there is no such frame; -EAGAIN; -ENOMEM.
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
	if (!frame->exact && frame->pc == hotspot->unfilled_pc) {
		leave_with(step, sender);
		return 0;
	}
	/* A caller's frame is complete, so it is left even if its method is unreadable. */
	if (!frame->exact)
		leave_with(step, sender);
	r = hotspot_method_find_now(hotspot, method, &found);
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

/*
 * Sets the caller of a method that begins or ends; rbx is the method. @sp: the caller's stack
 * pointer. It may be far above the frame, as the adapter of a compiled caller copies the arguments
 * to below the caller's stack.
 */
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

/* Returns @sp if the caller's stack can begin there, at @least or above; else @least. */
static uint64_t stack_from(uint64_t sp, uint64_t least)
{
	return sp % 8 == 0 && sp >= least && sp - least <= NEAR ? sp : least;
}

/* The caller's stack pointer if the frame pointer is set, but words of the frame are missing. */
static uint64_t sender_sp(const struct hotspot_step *step)
{
	const struct unwind_runtime_frame *frame = step->frame;
	uint64_t sp = frame->reg[R13];

	if (frame->sp < frame->fp && !hotspot_read_stack(step, frame->fp - 8, &sp))
		sp = 0;
	return stack_from(sp, frame->fp + 16);
}

/*
 * Leaves a method that begins or ends. At the beginning the frame is missing or incomplete: rbx is
 * the method, and r13 is the caller's stack pointer; the return address is on the stack, or was
 * popped to rax. At the end the frame is gone, and r13 is the return address. 1: left; 0: neither
 * case fits; -EAGAIN; -ENOMEM.
 */
static int leave_beginning(struct hotspot_step *step)
{
	const struct unwind_runtime_frame *frame = step->frame;
	const uint64_t *reg = frame->reg;
	uint64_t pc = 0, fp;
	int r;

	if (!reg)
		return 0;
	/* The frame pointer is set, but words of the frame are missing. */
	if (frame->fp >= frame->sp && frame->fp - frame->sp < 8 * FIXED_WORDS &&
		hotspot_read_stack(step, frame->fp + 8, &pc) &&
		hotspot_read_stack(step, frame->fp, &fp)) {
		r = hotspot_is_return(step, pc);
		if (r)
			return r < 0 ? r : set_beginning(step, pc, sender_sp(step), fp);
	}
	if (reg[R13] >= frame->sp && reg[R13] - frame->sp <= NEAR) {
		r = hotspot_read_stack(step, frame->sp, &pc) ? hotspot_is_return(step, pc) : 0;
		if (r)
			return r < 0 ? r
				     : set_beginning(step, pc, stack_from(reg[R13], frame->sp + 8),
					       frame->fp);
		r = hotspot_is_return(step, reg[RAX]);
		return r > 0
			? set_beginning(step, reg[RAX], stack_from(reg[R13], frame->sp), frame->fp)
			: r;
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
	/*
	 * While the interpreter enters or leaves a method, r13 points to no bytecode, but the frame
	 * may be complete.
	 */
	if (!r && exact)
		r = leave_interpreted(step, false);
	if (r < 0 || step->caller.tag)
		return r < 0 ? r : 1;
	return hotspot_name_stub(step);
}
