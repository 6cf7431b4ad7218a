/* SPDX-License-Identifier: MIT */
/* From a frame of generated code to its caller, and its location: x86-64. */
#include <string.h>

#include "analyst/base/peek.h"
#include "analyst/hotspot/hotspot_frame.h"
#include "analyst/hotspot/hotspot_internal.h"
#include "analyst/hotspot/hotspot_scopes.h"
#include "symbolizer/unwind/unwind.h"

/* Words that compiled code or a stub may have pushed onto its frame. */
enum { PUSHED_MOST = 2, STUB_PUSHED_MOST = 12 };

/* A stub without a known frame pushes the frame pointer in its first instructions. */
enum { STUB_BEGIN = 16 };

bool hotspot_read_stack(const struct hotspot_step *step, uint64_t address, uint64_t *ret_word)
{
	return step->frame->read(step->frame->reader, address, ret_word);
}

void hotspot_set_caller(struct hotspot_step *step, uint64_t at, uint64_t fp)
{
	uint64_t pc;

	if (!hotspot_read_stack(step, at, &pc))
		return;
	step->caller.found = true;
	step->caller.pc = pc;
	step->caller.sp = at + 8;
	step->caller.fp = fp;
}

void hotspot_set_caller_saved(struct hotspot_step *step, uint64_t at)
{
	uint64_t fp = 0;

	if (hotspot_read_stack(step, at - 8, &fp))
		hotspot_set_caller(step, at, fp);
}

int hotspot_is_return(struct hotspot_step *step, uint64_t pc)
{
	struct hotspot_blob *blob;

	if (!hotspot_is_code(step->hotspot, pc))
		return 0;
	return hotspot_blob_find(step->hotspot, pc - 1, &blob);
}

/* After a call of a method handle the frame pointer holds the stack pointer. */
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

/* How much of the frame is there? -EAGAIN: the code is needed. */
static int find_frame(struct hotspot_step *step, enum hotspot_frame *ret_frame)
{
	const struct hotspot_blob *blob = step->blob;
	const uint64_t pc = step->frame->pc;
	struct peek *peek = step->hotspot->peek;
	uint64_t entry = blob->kind == HOTSPOT_METHOD ? blob->verified : blob->code, bytes;
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
	bytes = pc < blob->code_end ? blob->code_end - pc : 0;
	if (bytes > HOTSPOT_FRAME_BYTES)
		bytes = HOTSPOT_FRAME_BYTES;
	r = bytes ? peek_at(peek, pc, bytes, 0, &code) : 0;
	if (r > 0)
		*ret_frame = hotspot_frame_at_end(code, bytes);
	return r < 0 ? r : 1;
}

/*
 * Where the frame ends. All callers are generated code; when a frame runs, it may have pushed
 * something onto it, as the comparison of strings does.
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

/* A frame of fixed size, that of a compiled method or of a stub. */
static int leave_fixed(struct hotspot_step *step)
{
	const struct hotspot_blob *blob = step->blob;
	const struct unwind_runtime_frame *frame = step->frame;
	enum hotspot_frame is;
	int r = find_frame(step, &is);

	if (r < 0)
		return r;
	switch (is) {
	case HOTSPOT_FRAME_NONE: hotspot_set_caller(step, frame->sp, frame->fp); break;
	case HOTSPOT_FRAME_POINTER: hotspot_set_caller_saved(step, frame->sp + 8); break;
	case HOTSPOT_FRAME_UNSAVED:
		hotspot_set_caller(step, frame->sp + blob->frame_bytes - 8, frame->fp);
		break;
	default: hotspot_set_caller_saved(step, end_of(step) - 8); break;
	}
	return 1;
}

static int step_compiled(struct hotspot_step *step)
{
	const struct hotspot_blob *blob = step->blob;
	uint64_t pc = step->frame->pc, original;
	struct hotspot_method *method;
	int r = leave_fixed(step), named;

	/* Frames that are still on the stack may be in the heap already, or are being copied. */
	if (blob->native && hotspot_method_find(step->hotspot, blob->method, &method) > 0)
		step->caller.drop_left = method->is_yield;

	/*
	 * The callee's return address was replaced by that of the deoptimizer. The frame keeps the
	 * original one.
	 */
	if ((pc == blob->deopt || pc == blob->deopt_mh) && !step->frame->exact &&
		hotspot_read_stack(step, own_sp(step) + blob->original_pc, &original) &&
		original >= blob->code && original < blob->code_end)
		pc = original;
	named = hotspot_name_compiled(step, pc);
	return r < 0 ? r : named;
}

/*
 * The frame that the frame pointer tells. The stub that checks at the entry of a method whether its
 * code is still valid has a word of all ones between the frame pointer and the return address.
 */
static void leave_by_pointer(struct hotspot_step *step)
{
	uint64_t fp = step->frame->fp, pc = 0, saved;

	if (fp < step->frame->sp || fp % 8)
		return;
	if (hotspot_read_stack(step, fp + 8, &pc) && pc == UINT64_MAX &&
		hotspot_read_stack(step, fp, &saved))
		hotspot_set_caller(step, fp + 16, saved);
	else
		hotspot_set_caller_saved(step, fp + 8);
}

/* Bytes of the instruction that pops a register other than the frame pointer; 0: none. */
static size_t pop_at(const uint8_t *code)
{
	if (code[0] == 0x41 && (code[1] & 0xf8) == 0x58)
		return 2;
	return (code[0] & 0xf8) == 0x58 && code[0] != 0x5d;
}

/*
 * Is there a direct call of the step's blob before @pc? 1: yes; *@ret_words: arguments that the
 * caller has pushed, and pops then. -EAGAIN.
 */
static int is_called_from(struct hotspot_step *step, uint64_t pc, uint64_t *ret_words)
{
	enum { CALL = 5, TWO_POPS = 4 };
	const struct hotspot_blob *blob = step->blob;
	const uint8_t *code;
	int32_t distance;
	uint64_t target;
	size_t pop;
	int r;

	if (!hotspot_is_code(step->hotspot, pc))
		return 0;
	r = peek_at(step->hotspot->peek, pc - CALL, CALL + TWO_POPS, 0, &code);
	if (r <= 0)
		return r;
	memcpy(&distance, code + 1, sizeof(distance));
	target = pc + (uint64_t)(int64_t)distance;
	pop = pop_at(code + CALL);
	*ret_words = pop && pop_at(code + CALL + pop) ? 2 : 0;
	return code[0] == 0xe8 && target >= blob->code && target < blob->code_end;
}

/*
 * Leaves a stub that has pushed words: its return address is the first word on the stack behind a
 * call of the stub.
 */
static int leave_pushed(struct hotspot_step *step)
{
	const struct unwind_runtime_frame *frame = step->frame;
	uint64_t pc, words;

	for (uint64_t i = 0; i <= STUB_PUSHED_MOST; i++) {
		uint64_t at = frame->sp + 8 * i;
		int r = hotspot_read_stack(step, at, &pc) ? is_called_from(step, pc, &words) : 0;

		if (r > 0) {
			hotspot_set_caller(step, at, frame->fp);
			step->caller.sp += 8 * words;
		}
		if (r)
			return r;
	}
	return 0;
}

/*
 * The last frame of a virtual thread that is on the stack returns to the beginning of a stub, which
 * fetches more of them from the heap. 1: this is the stub; 0; -EAGAIN.
 */
static int is_return_barrier(struct hotspot_step *step)
{
	static const char name[] = "StubRoutines (continuation";
	enum { CALL = 5 };
	const uint8_t *code;
	int r;

	if (step->frame->exact || strncmp(step->blob->name, name, sizeof(name) - 1) != 0)
		return 0;
	r = peek_at(step->hotspot->peek, step->frame->pc - CALL, CALL, 0, &code);
	/* No call of the stub precedes it: direct, or by a register. */
	return r > 0 ? code[0] != 0xe8 && !(code[3] == 0xff && (code[4] & 0xf8) == 0xd0) : r;
}

/* Code without a known frame: the return address is on top, or behind a frame pointer. */
static int step_stub(struct hotspot_step *step)
{
	const struct unwind_runtime_frame *frame = step->frame;
	uint64_t pc = 0;
	int r = is_return_barrier(step), named;

	if (r < 0)
		return r;
	named = r ? hotspot_name_chunks(step) : hotspot_name_stub(step);
	if (named < 0)
		return named;
	/* The caller's frame pointer is that of the frame that called Java's Continuation.enter. */
	if (r) {
		leave_by_pointer(step);
		return 1;
	}
	/* From here, a function of the VM is called that called Java. */
	if (!frame->exact && frame->pc == step->hotspot->call_stub_return) {
		leave_by_pointer(step);
		return 1;
	}
	r = frame->exact ? leave_pushed(step) : 0;
	if (r)
		return r;
	r = frame->exact && hotspot_read_stack(step, frame->sp, &pc) ? hotspot_is_return(step, pc)
								     : 0;
	if (r < 0)
		return r;
	if (r)
		hotspot_set_caller(step, frame->sp, frame->fp);
	else
		leave_by_pointer(step);
	return 1;
}

/*
 * May the frame return into this code? Each call that Java makes has debug information where it
 * returns to; calls of the VM's own functions have none.
 */
static bool is_known_call(const struct hotspot_blob *blob, uint64_t pc)
{
	struct hotspot_pc at;

	return blob->kind != HOTSPOT_METHOD || pc == blob->deopt || pc == blob->deopt_mh ||
		(hotspot_pc_find(blob->debug + blob->pcs.at, blob->pcs.bytes,
			 (int64_t)(pc - blob->code), &at) &&
			blob->code + (uint64_t)(int64_t)at.pc == pc);
}

int hotspot_step(struct hotspot *hotspot, const struct unwind_runtime_frame *frame,
	struct unwind_runtime_caller *ret_caller)
{
	struct hotspot_step step = {.hotspot = hotspot, .frame = frame};
	struct hotspot_blob *blob;
	struct hotspot_blob copy;
	int r = hotspot_blob_find(hotspot, frame->pc - !frame->exact, &blob);

	/* Other code may have taken its place. */
	if (r > 0 && !frame->exact && !is_known_call(blob, frame->pc))
		r = hotspot_blob_find_now(hotspot, frame->pc - 1, &blob);
	if (r <= 0)
		return r;
	/* Looking for others may drop it. */
	copy = *blob;
	step.blob = &copy;
	switch (blob->kind) {
	case HOTSPOT_METHOD: r = step_compiled(&step); break;
	case HOTSPOT_INTERPRETER: r = hotspot_step_interpreted(&step); break;
	case HOTSPOT_FRAME:
		r = leave_fixed(&step);
		if (r > 0)
			r = hotspot_name_stub(&step);
		break;
	default: r = step_stub(&step); break;
	}
	*ret_caller = step.caller;
	return r;
}
