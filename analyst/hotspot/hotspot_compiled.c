/* SPDX-License-Identifier: MIT */
/* Frames of fixed size, of compiled methods or stubs, on x86-64. */
#include "analyst/base/peek.h"
#include "analyst/hotspot/hotspot_frame.h"
#include "analyst/hotspot/hotspot_internal.h"
#include "analyst/hotspot/hotspot_scopes.h"
#include "symbolizer/unwind/unwind.h"

/* Words that compiled code pushes at most in addition to its frame. */
enum { PUSHED_MOST = 2 };

/*
 * A stub whose frame is never complete (frame_complete < 0) pushes the frame pointer in the first
 * bytes of its code, at most this many.
 */
enum { STUB_BEGIN = 16 };

/*
 * Where compiled code calls a method handle, it keeps its stack pointer in the frame pointer
 * register, as the callee may return with another stack pointer.
 */
static uint64_t own_sp(const struct hotspot_step *step)
{
	const struct hotspot_blob *blob = step->blob;
	const struct unwind_runtime_frame *frame = step->frame;
	struct hotspot_pc at;
	bool moved = frame->pc == blob->deopt_mh;

	if (!frame->exact && blob->debug && blob->deopt_mh &&
		hotspot_pc_find(blob->debug + blob->pcs.at, blob->pcs.bytes,
			(int64_t)(frame->pc - blob->code), &at) &&
		blob->code + (uint64_t)(int64_t)at.pc == frame->pc)
		moved |= (at.flags & HOTSPOT_PC_METHOD_HANDLE) != 0;
	return moved && frame->fp >= frame->sp && frame->fp - frame->sp < blob->frame_bytes
		? frame->fp
		: frame->sp;
}

/* find_frame() for a pc behind the beginning of the method. */
static int find_behind(
	struct hotspot_step *step, enum hotspot_frame *ret_frame, uint64_t *ret_popped)
{
	enum { BEFORE = HOTSPOT_FRAME_BEFORE, RBP = 6 };
	const struct hotspot_blob *blob = step->blob;
	const uint64_t pc = step->frame->pc;
	uint64_t bytes = pc < blob->code_end ? blob->code_end - pc : 0;
	const uint8_t *code;
	uint64_t top;
	int r, in;

	if (bytes > HOTSPOT_FRAME_BYTES)
		bytes = HOTSPOT_FRAME_BYTES;
	if (!bytes || pc < blob->code + BEFORE)
		return 1;
	r = peek_at(step->hotspot->peek, pc - BEFORE, BEFORE + bytes, 0, &code);
	if (r <= 0)
		return r < 0 ? r : 1;
	code += BEFORE;
	*ret_frame = hotspot_frame_at(&(struct hotspot_code){.code = code,
		.bytes = bytes,
		.start = (int64_t)(blob->code - pc),
		.end = (int64_t)(blob->code_end - pc)});
	/*
	 * All callers are generated code. So if the word on top of the stack points into generated
	 * code, it is the return address, and no frame is left.
	 */
	if (*ret_frame == HOTSPOT_FRAME_UNSURE)
		*ret_frame = hotspot_read_stack(step, step->frame->sp, &top) &&
				hotspot_is_code(step->hotspot, top)
			? HOTSPOT_FRAME_NONE
			: HOTSPOT_FRAME_WHOLE;
	in = step->frame->reg ? hotspot_frame_popped(code - 2, code, bytes) : -1;
	if (in == RBP) {
		*ret_frame = HOTSPOT_FRAME_NONE;
	} else if (in >= 0 && hotspot_is_code(step->hotspot, step->frame->reg[in])) {
		*ret_frame = HOTSPOT_FRAME_POPPED;
		*ret_popped = step->frame->reg[in];
	}
	return 1;
}

/* Sets how much of the frame exists, and for HOTSPOT_FRAME_POPPED the return address. */
static int find_frame(
	struct hotspot_step *step, enum hotspot_frame *ret_frame, uint64_t *ret_popped)
{
	const struct hotspot_blob *blob = step->blob;
	const uint64_t pc = step->frame->pc;
	struct peek *peek = step->hotspot->peek;
	const uint64_t entry = blob->kind == HOTSPOT_METHOD ? blob->verified : blob->code;
	const uint8_t *code;
	int r;

	*ret_frame = HOTSPOT_FRAME_WHOLE;
	if (!step->frame->exact)
		return 1;
	if (pc >= blob->code && (pc <= entry || entry < blob->code)) {
		*ret_frame = HOTSPOT_FRAME_NONE;
		return 1;
	}
	if (blob->frame_complete >= 0 && pc > entry &&
		pc < blob->code + (uint64_t)(uint32_t)blob->frame_complete &&
		pc - entry <= HOTSPOT_FRAME_BYTES) {
		r = peek_at(peek, entry, pc - entry, 0, &code);
		if (r > 0)
			*ret_frame = hotspot_frame_at_begin(code, pc - entry);
		return r < 0 ? r : 1;
	}
	if (blob->frame_complete < 0 && pc - blob->code <= STUB_BEGIN) {
		r = peek_at(peek, blob->code, pc - blob->code, 0, &code);
		if (r > 0 && hotspot_frame_at_begin(code, pc - blob->code) == HOTSPOT_FRAME_POINTER)
			*ret_frame = HOTSPOT_FRAME_POINTER;
		return r < 0 ? r : 1;
	}
	return find_behind(step, ret_frame, ret_popped);
}

/*
 * An executing frame may have pushed words in addition to its fixed size, as code that compares
 * strings does. So the return address is the first word, from its usual place upwards, that points
 * into generated code; the frame ends behind it.
 */
static uint64_t end_of(const struct hotspot_step *step)
{
	uint64_t end = own_sp(step) + step->blob->frame_bytes, pc;

	for (uint64_t i = 0; step->frame->exact && i <= PUSHED_MOST; i++)
		if (hotspot_read_stack(step, end + 8 * i - 8, &pc) &&
			hotspot_is_code(step->hotspot, pc))
			return end + 8 * i;
	return end;
}

int hotspot_leave_fixed(struct hotspot_step *step)
{
	const struct hotspot_blob *blob = step->blob;
	const struct unwind_runtime_frame *frame = step->frame;
	enum hotspot_frame is;
	uint64_t popped = 0;
	int r = find_frame(step, &is, &popped);

	if (r < 0)
		return r;
	switch (is) {
	case HOTSPOT_FRAME_NONE: hotspot_set_caller(step, frame->sp, frame->fp); break;
	case HOTSPOT_FRAME_POINTER: hotspot_set_caller_saved(step, frame->sp + 8); break;
	case HOTSPOT_FRAME_UNSAVED:
		hotspot_set_caller(step, frame->sp + blob->frame_bytes - 8, frame->fp);
		break;
	case HOTSPOT_FRAME_POPPED:
		step->caller.found = true;
		step->caller.pc = popped;
		step->caller.sp = frame->sp;
		step->caller.fp = frame->fp;
		break;
	default: hotspot_set_caller_saved(step, end_of(step) - 8); break;
	}
	return 1;
}

int hotspot_step_compiled(struct hotspot_step *step)
{
	const struct hotspot_blob *blob = step->blob;
	uint64_t pc = step->frame->pc, original;
	struct hotspot_method *method;
	int r = hotspot_leave_fixed(step), named;

	/*
	 * doYield() moves frames from the stack to the heap. The copy of the heap may repeat frames
	 * that are still on the stack, so it is not used.
	 */
	if (blob->native && hotspot_method_find(step->hotspot, blob->method, 0, &method) > 0)
		step->caller.drop_left = method->is_yield;

	/*
	 * The pc of a deoptimized frame is the address of a deoptimization handler. The original pc
	 * is in a word of the frame.
	 */
	if ((pc == blob->deopt || pc == blob->deopt_mh) && !step->frame->exact &&
		hotspot_read_stack(step, own_sp(step) + blob->original_pc, &original) &&
		original >= blob->code && original < blob->code_end)
		pc = original;
	named = hotspot_name_compiled(step, pc);
	return r < 0 ? r : named;
}
