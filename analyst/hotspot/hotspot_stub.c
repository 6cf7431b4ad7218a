/* SPDX-License-Identifier: MIT */
/* Stubs whose frame has no known size, on x86-64. */
#include <string.h>

#include "analyst/base/peek.h"
#include "analyst/hotspot/hotspot_frame.h"
#include "analyst/hotspot/hotspot_internal.h"
#include "symbolizer/unwind/unwind.h"

/* Words that a stub pushes at most. */
enum { STUB_PUSHED_MOST = 12 };

void hotspot_leave_by_pointer(struct hotspot_step *step)
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

/*
 * Is the instruction before @pc a call to the step's blob? 1: yes, and *@ret_words is the number of
 * words that the caller pushed before the call, and pops after it; 0: no; -EAGAIN; -ENOMEM.
 */
static int is_called_from(struct hotspot_step *step, uint64_t pc, uint64_t *ret_words)
{
	enum { CALL = 5, TWO_POPS = 4 };
	const struct hotspot_blob *blob = step->blob;
	const uint8_t *code;
	uint64_t target;
	size_t pop;
	int r;

	if (!hotspot_is_code(step->hotspot, pc))
		return 0;
	r = peek_at(step->hotspot->peek, pc - CALL, CALL + TWO_POPS, 0, &code);
	if (r <= 0)
		return r;
	target = pc + (uint64_t)(int32_t)load_u32(code + 1);
	pop = hotspot_frame_pop(code + CALL, TWO_POPS);
	*ret_words = pop && hotspot_frame_pop(code + CALL + pop, TWO_POPS - pop) ? 2 : 0;
	return code[0] == 0xe8 && target >= blob->code && target < blob->code_end;
}

/*
 * Takes as return address the first word on the stack that points behind a call of the stub. 1; 0:
 * no word does; -EAGAIN; -ENOMEM.
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
 * The adapter to the interpreter sets r13 to the caller's stack pointer. @code is the adapters'
 * code from the current instruction on. If this code does not set r13, r13 is set already.
 */
static bool is_sender_set(const uint8_t *code, size_t bytes)
{
	static const uint8_t move[] = {0x4c, 0x8b, 0xec};            /* mov %rsp,%r13 */
	static const uint8_t lea[] = {0x4c, 0x8d, 0x6c, 0x24, 0x08}; /* lea 8(%rsp),%r13 */

	return !memmem(code, bytes, move, sizeof(move)) && !memmem(code, bytes, lea, sizeof(lea));
}

/*
 * Leaves an adapter between interpreted and compiled code. Each adapter pops the return address to
 * rax, makes room on the stack, and pushes the address again. 1: the caller is found; 0: it is not,
 * or the code is not an adapter; -EAGAIN; -ENOMEM.
 */
static int leave_adapter(struct hotspot_step *step)
{
	enum { RAX = 0, R13 = 13, ROOM_MOST = 8 * 512 };
	const struct unwind_runtime_frame *frame = step->frame;
	const uint64_t bytes = step->blob->code_end - frame->pc;
	uint64_t top = 0, sp = frame->sp;
	const uint8_t *code;
	int r;

	if (!frame->reg || strcmp(step->blob->name, "I2C/C2I adapters") != 0 || !bytes ||
		bytes > PEEK_MOST)
		return 0;
	r = peek_at(step->hotspot->peek, frame->pc, bytes, 0, &code);
	if (r <= 0)
		return r;
	if (is_sender_set(code, bytes)) {
		sp = frame->reg[R13];
		if (sp % 8 || sp < frame->sp || sp - frame->sp > ROOM_MOST)
			return 0;
	} else {
		r = hotspot_read_stack(step, sp, &top) ? hotspot_is_return(step, top) : 0;
		if (r > 0)
			hotspot_set_caller(step, sp, frame->fp);
		if (r)
			return r;
	}
	r = hotspot_is_return(step, frame->reg[RAX]);
	if (r <= 0)
		return r;
	step->caller.found = true;
	step->caller.pc = frame->reg[RAX];
	step->caller.sp = sp;
	step->caller.fp = frame->fp;
	return 1;
}

int hotspot_is_return_barrier(struct hotspot_step *step)
{
	static const char name[] = "StubRoutines (continuation";
	enum { CALL = 5 };
	const uint8_t *code;
	int r;

	if (step->frame->exact || strncmp(step->blob->name, name, sizeof(name) - 1) != 0)
		return 0;
	r = peek_at(step->hotspot->peek, step->frame->pc - CALL, CALL, 0, &code);
	/*
	 * Before a return address there is a call, direct or by a register. Before the return
	 * barrier's address there is no call.
	 */
	return r > 0 ? code[0] != 0xe8 && !(code[3] == 0xff && (code[4] & 0xf8) == 0xd0) : r;
}

int hotspot_step_stub(struct hotspot_step *step)
{
	const struct unwind_runtime_frame *frame = step->frame;
	uint64_t pc = 0;
	int r = hotspot_name_stub(step);

	if (r < 0)
		return r;
	/* The VM calls Java by the call stub, whose frame begins at the frame pointer. */
	if (!frame->exact && frame->pc == step->hotspot->call_stub_return) {
		hotspot_leave_by_pointer(step);
		return 1;
	}
	r = frame->exact ? leave_adapter(step) : 0;
	if (!r && frame->exact)
		r = leave_pushed(step);
	if (r)
		return r;
	r = frame->exact && hotspot_read_stack(step, frame->sp, &pc) ? hotspot_is_return(step, pc)
								     : 0;
	if (r < 0)
		return r;
	if (r)
		hotspot_set_caller(step, frame->sp, frame->fp);
	else
		hotspot_leave_by_pointer(step);
	return 1;
}
